-- Prompts to which a record would matter, in other words than its own: it is found by them.

CREATE TABLE observation_queries (
  observation INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
  query TEXT NOT NULL,
  PRIMARY KEY (observation, query)
) WITHOUT ROWID;
