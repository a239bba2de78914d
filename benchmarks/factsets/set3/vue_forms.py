"""Vue: a form that loses input; a lint rule; a preference."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Three turns."""
    s = Session("s3-vue-forms", "/Users/mia/code/clinic-web")
    s.ask(
        "PatientForm loses what you typed when you switch tabs and come back. keep it. no localStorage, it's medical data!!"
    )
    s.bash(
        "grep -rn 'PatientForm' src --include=*.vue --include=*.ts | head; cat src/views/PatientTabs.vue",
        """
src/views/PatientTabs.vue:8:    <component :is="current" :key="current.name" />
src/router/index.ts:31:  component: () => import("../views/PatientTabs.vue"),
<script setup lang="ts">
import { shallowRef } from "vue";
import PatientForm from "../forms/PatientForm.vue";
import History from "../forms/History.vue";
const current = shallowRef(PatientForm);
</script>
<template>
    <component :is="current" :key="current.name" />
</template>
""",
    )
    s.edit(
        "src/views/PatientTabs.vue",
        '    <component :is="current" :key="current.name" />',
        '    <KeepAlive :max="5"><component :is="current" :key="current.name" /></KeepAlive>',
        before="<template>\n",
        after="\n</template>\n",
    )
    s.bash(
        "npm run test:unit -- PatientTabs 2>&1 | tail -9",
        """
 ✓ src/views/__tests__/PatientTabs.spec.ts (2)
   ✓ keeps the typed text over a tab switch
   ✓ clears on logout

 Test Files  1 passed (1)
      Tests  2 passed (2)
""",
    )
    s.done(
        'Wrapped the dynamic component in `<KeepAlive :max="5">`, so the form stays mounted in memory between tabs and nothing is written to disk. It\'s dropped on logout. A Pinia store would work too, but then the drafts would outlive the view and show up in devtools snapshots.'
    )
    s.fact(
        "may we store patient data in local storage",
        "localStorage",
        where="prompt",
        kind="preference",
    )
    s.fact(
        "how does the patient form keep its text between tabs",
        "KeepAlive",
        where="message",
        kind="fix",
    )
    s.fact(
        "pinia store for form drafts", "Pinia", "outlive|devtools", where="message", kind="rejected"
    )

    s.ask("eslint complains in CI but not here")
    s.bash(
        "npx eslint src --max-warnings 0; npx eslint --version; grep -n eslint package.json; gh run view --log-failed | grep -A2 eslint | head",
        """
v9.17.0
    "eslint": "^9.14.0",
lint	eslint	/home/runner/code/clinic-web/clinic-web/src/views/PatientTabs.vue
lint	eslint	  8:5  error  Expected 1 line break after opening tag (`<KeepAlive>`), but no line breaks found  vue/singleline-html-element-content-newline
""",
    )
    s.bash(
        "ls eslint.config.* .eslintrc* 2>&1; git check-ignore -v eslint.config.local.js",
        "eslint.config.js\neslint.config.local.js\n.gitignore:22:eslint.config.local.js\teslint.config.local.js",
    )
    s.edit(
        "src/views/PatientTabs.vue",
        '<KeepAlive :max="5"><component :is="current" :key="current.name" /></KeepAlive>',
        '<KeepAlive :max="5">\n      <component :is="current" :key="current.name" />\n    </KeepAlive>',
    )
    s.done(
        "Your machine has a git-ignored `eslint.config.local.js` that turns the `vue/singleline-html-element-content-newline` rule off. Fixed the line; you may want to delete that file."
    )
    s.fact(
        "which eslint rule failed in CI",
        "vue/singleline-html-element-content-newline",
        where="output",
        kind="cause",
    )
    s.fact(
        "eslint passes locally but fails in CI",
        "eslint.config.local.js",
        where="message",
        kind="cause",
    )

    s.ask("deleted. answer me in short sentences in future, these explanations are too long")
    s.done("Will do.")
    s.fact("how long should answers be", "short sentences", where="prompt", kind="preference")
    return s.end()
