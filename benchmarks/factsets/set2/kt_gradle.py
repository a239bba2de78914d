"""Kotlin: a Gradle upgrade, bisecting a regression."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Two turns."""
    s = Session("s2-kt-gradle", "/Users/lea/AndroidStudioProjects/Trailmap")
    s.ask("bump AGP to 8.7 and Kotlin to 2.0.21, fix what breaks")
    s.bash(
        "sed -i '' 's/agp = .*/agp = \"8.7.2\"/; s/kotlin = .*/kotlin = \"2.0.21\"/' gradle/libs.versions.toml && ./gradlew :app:assembleDebug 2>&1 | tail -25",
        """
> Task :app:compileDebugKotlin FAILED
e: This version (1.5.3) of the Compose Compiler requires Kotlin version 1.9.10 but you appear to be using Kotlin version 2.0.21 which is not known to be compatible.

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':app:compileDebugKotlin'.
BUILD FAILED in 41s
37 actionable tasks: 12 executed, 25 up-to-date
""",
        fail=1,
    )
    s.edit(
        "app/build.gradle.kts",
        '    composeOptions { kotlinCompilerExtensionVersion = "1.5.3" }\n',
        "",
        before="plugins {\n    alias(libs.plugins.android)\n}\n\nandroid {\n    compileSdk = 35\n",
        after="}\n",
    )
    s.edit(
        "app/build.gradle.kts",
        "    alias(libs.plugins.android)",
        "    alias(libs.plugins.android)\n    alias(libs.plugins.compose.compiler)",
    )
    s.bash(
        "./gradlew :app:assembleDebug :app:testDebugUnitTest 2>&1 | tail -8",
        """
w: file:///Users/lea/AndroidStudioProjects/Trailmap/app/src/main/java/map/Tiles.kt:41:9 'overrideActivityTransition' is only available from API 34
BUILD SUCCESSFUL in 1m 58s
61 actionable tasks: 49 executed, 12 up-to-date
""",
    )
    s.bash(
        "git add -A; git commit -qm 'Build with AGP 8.7.2 and Kotlin 2.0.21'; git log --oneline | head -1",
        "a9e0d55 Build with AGP 8.7.2 and Kotlin 2.0.21",
    )
    s.done(
        "Builds and tests pass. Since Kotlin 2.0 the Compose compiler ships with Kotlin: `composeOptions.kotlinCompilerExtensionVersion` is gone, the `org.jetbrains.kotlin.plugin.compose` plugin replaces it. Committed as a9e0d55."
    )
    s.fact(
        "compose compiler incompatible with kotlin 2",
        "plugin.compose|compose",
        "kotlinCompilerExtensionVersion",
        where="message",
        kind="fix",
    )
    s.fact("AGP version trailmap", "8.7.2", where="command", kind="config")

    s.ask(
        "offline tiles stopped loading somewhere in the last 2 weeks. bisect: good is v3.8.0, bad is main. ./scripts/tiles_check.sh returns 0 when fine"
    )
    s.bash(
        "git bisect start main v3.8.0 && git bisect run ./scripts/tiles_check.sh 2>&1 | tail -14",
        """
Bisecting: 0 revisions left to test after this (roughly 1 step)
running './scripts/tiles_check.sh'
d2b6e8f4c1 is the first bad commit
commit d2b6e8f4c1
Author: Jonas <jonas@trailmap.example>
Date:   Tue Jan 20 16:02:11 2026 +0100

    Shrink release builds with R8 full mode

 gradle.properties | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)
bisect found first bad commit
""",
    )
    s.bash(
        "git bisect reset -q; grep -n 'MBTiles' -r app/src/main | head -3; tail -3 app/proguard-rules.pro",
        'app/src/main/java/map/Offline.kt:12:Class.forName("map.MBTilesSource")\n-keep class map.Legend { *; }',
    )
    s.edit(
        "app/proguard-rules.pro",
        "-keep class map.Legend { *; }",
        "-keep class map.Legend { *; }\n# loaded by name in Offline.kt\n-keep class map.MBTilesSource { <init>(...); }",
    )
    s.bash("./scripts/tiles_check.sh && echo fine", "fine")
    s.done(
        "First bad commit: **d2b6e8f4c1** (R8 full mode). `MBTilesSource` is only created through `Class.forName`, so R8 removed its constructor. I added a keep rule to `proguard-rules.pro`; the check passes."
    )
    s.fact("which commit broke offline tiles", "d2b6e8f", where="output", kind="commit")
    s.fact("class removed by R8 shrinking", "MBTilesSource", where="message", kind="cause")
    return s.end()
