"""The rules distiller: what a turn was, without a model.

`distill` is the only door. `story` takes the turn apart with `steps`, `shell`, `edits`, `results`,
`failures`, `gitwork`, `packages`, `reads` and `statements`; `changerows`, `checkrows`, `findrows`,
`foreign` and `security` make rows of it; `assemble` joins them and keeps the best.
"""

from backstory.capture.rules.assemble import RULES_VERSION, distill

__all__ = ["RULES_VERSION", "distill"]
