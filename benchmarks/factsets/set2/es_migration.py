"""Spanish: a migration that locks, and its way back."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Two turns."""
    s = Session("s2-es-migration", "/home/carlos/proyectos/reservas")
    s.ask(
        "Hay que añadir la columna `canal` a la tabla reservas (valores: web, telefono, agencia). En producción tiene 60 millones de filas, así que sin bloquear la tabla. Django 5."
    )
    s.bash(
        "python manage.py showmigrations reservas | tail -3; psql -c 'select version()' | head -3",
        """
 [X] 0030_cupon_fecha
 [X] 0031_hotel_zona
 [X] 0032_indice_cliente
 PostgreSQL 14.11 (Ubuntu 14.11-1.pgdg22.04+1)
""",
    )
    s.write(
        "reservas/migrations/0033_canal.py",
        """
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("reservas", "0032_indice_cliente")]

    operations = [
        migrations.AddField("reserva", "canal", models.CharField(max_length=12, null=True)),
        migrations.RunPython(rellenar_por_lotes, migrations.RunPython.noop),
    ]
""",
    )
    s.write(
        "reservas/migrations/lotes.py",
        """
LOTE = 20_000
PAUSA = 0.2  # segundos entre lotes, para que la réplica no se retrase
""",
    )
    s.bash(
        "python manage.py migrate reservas 2>&1 | tail -5",
        """
  File "/home/carlos/proyectos/reservas/reservas/migrations/0033_canal.py", line 10, in Migration
    migrations.RunPython(rellenar_por_lotes, migrations.RunPython.noop),
NameError: name 'rellenar_por_lotes' is not defined
""",
        fail=1,
    )
    s.edit(
        "reservas/migrations/0033_canal.py",
        "from django.db import migrations, models",
        "from django.db import migrations, models\n\nfrom reservas.migrations.lotes import rellenar_por_lotes",
    )
    s.bash(
        "python manage.py migrate reservas 2>&1 | tail -3 && pytest -q reservas | tail -1",
        "  Applying reservas.0033_canal... OK\n143 passed in 21.40s",
    )
    s.done("""
Listo. La migración `0033_canal` añade la columna como **nullable y sin valor por defecto**, y después rellena los datos por lotes de 20.000 filas con una pausa de 0,2 s para no retrasar la réplica.

Descarté poner `NOT NULL` en la misma migración: obliga a recorrer la tabla entera con un bloqueo exclusivo. Se hará en una segunda entrega con `CHECK ... NOT VALID` y `VALIDATE CONSTRAINT`.

Las 143 pruebas pasan.
""")
    s.fact("qué versión de PostgreSQL usa reservas", "14.11", where="output", kind="config")
    s.fact(
        "por qué la columna canal no es NOT NULL",
        "NOT NULL",
        "bloqueo",
        where="message",
        kind="rejected",
    )
    s.fact("tamaño de lote al rellenar canal", "20.000|20_000", where="message", kind="config")
    s.fact(
        "siguiente paso después de la migración del canal",
        "NOT VALID|VALIDATE",
        where="message",
        kind="todo",
    )

    s.ask("¿Y si sale mal en producción, cómo volvemos atrás?")
    s.done(
        "`python manage.py migrate reservas 0032_indice_cliente`: solo borra la columna, tarda milisegundos. El código anterior ignora `canal`, así que el orden es: primero desplegar el código viejo, después deshacer la migración."
    )
    s.fact("rollback de la migración 0033", "0032_indice_cliente", where="message", kind="howto")
    return s.end()
