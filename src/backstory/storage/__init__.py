"""The database: schema, migrations, named queries, and the spool in front of it."""
