"""German: reading only, about a library's internals, then a decision."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Two turns."""
    s = Session("s3-de-review", "/home/anna/dev/heizung")
    s.ask(
        "Wie wird in heizung eigentlich entschieden, wann die Pumpe läuft? Bitte nur lesen und erklären."
    )
    s.bash(
        "grep -rn 'pumpe' --include=*.py -il .",
        "steuerung/regler.py\nsteuerung/hysterese.py\ntests/test_regler.py",
    )
    with s.parallel():
        s.read(
            "steuerung/regler.py",
            """
MIN_LAUFZEIT = 180  # Sekunden


def pumpe_an(zustand):
    if zustand.frost:
        return True
    if zustand.laufzeit < MIN_LAUFZEIT and zustand.an:
        return True
    return hysterese(zustand.vorlauf - zustand.ruecklauf, zustand.an)
""",
        )
        s.read(
            "steuerung/hysterese.py",
            "EIN, AUS = 4.0, 1.5  # Kelvin\n\n\ndef hysterese(delta, an):\n    return delta > (AUS if an else EIN)\n",
        )
    s.done("""
Die Entscheidung fällt in `steuerung/regler.py`, Funktion `pumpe_an`, in dieser Reihenfolge:

1. **Frostschutz** hat immer Vorrang: Pumpe an.
2. **Mindestlaufzeit**: läuft sie, bleibt sie mindestens 180 s an.
3. sonst **Hysterese** (`steuerung/hysterese.py`): ein bei mehr als 4,0 K Spreizung zwischen Vor- und Rücklauf, aus unter 1,5 K.

Die Außentemperatur spielt entgegen der README keine Rolle.
""")
    s.fact(
        "ab welcher Spreizung läuft die Pumpe",
        "4,0|4.0",
        "Spreizung|EIN",
        where="message",
        kind="config",
    )
    s.fact(
        "Mindestlaufzeit Pumpe",
        "180",
        "MIN_LAUFZEIT|Mindestlaufzeit",
        where="message",
        kind="config",
    )
    s.fact(
        "stimmt die README zur Außentemperatur",
        "Außentemperatur",
        "README",
        where="message",
        kind="gotcha",
    )

    s.ask(
        "Dann lass die README stehen, ich baue die Außentemperatur selbst ein. Aber die Hysterese soll einstellbar sein, per Umgebungsvariable HEIZUNG_EIN_K. PID haben wir letztes Jahr probiert, das schwingt, also nicht vorschlagen."
    )
    s.edit(
        "steuerung/hysterese.py",
        "EIN, AUS = 4.0, 1.5  # Kelvin",
        'import os\n\nEIN = float(os.environ.get("HEIZUNG_EIN_K", "4.0"))  # Kelvin\nAUS = 1.5',
    )
    s.bash("python -m pytest -q | tail -1", "22 passed in 0.30s")
    s.done("`HEIZUNG_EIN_K` setzt jetzt die Einschaltschwelle (Standard 4,0 K). 22 Tests grün.")
    s.fact("Umgebungsvariable für die Hysterese", "HEIZUNG_EIN_K", where="prompt", kind="config")
    s.fact("warum kein PID Regler", "PID", "schwingt", where="prompt", kind="rejected")
    return s.end()
