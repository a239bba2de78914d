-- Search: vectors beside full text, and guided searches that go on over several calls.

CREATE TABLE embedders (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  dimensions INTEGER NOT NULL
);

CREATE TABLE vectors (
  row INTEGER PRIMARY KEY,
  embedder INTEGER NOT NULL REFERENCES embedders (id),
  vector BLOB NOT NULL
);
CREATE INDEX vectors_by_embedder ON vectors (embedder);
CREATE INDEX vectors_not_made ON vectors (embedder, row) WHERE length(vector) < 2;

CREATE TABLE unembedded (
  row INTEGER PRIMARY KEY
);

INSERT INTO unembedded (row)
SELECT id * 4 FROM observations
UNION ALL SELECT id * 4 + 1 FROM summaries
UNION ALL SELECT id * 4 + 2 FROM prompts WHERE number > 0;

CREATE TABLE guided_searches (
  continuation TEXT PRIMARY KEY,
  project INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  relay TEXT NOT NULL,
  step INTEGER NOT NULL,
  bounds TEXT NOT NULL,
  ids TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX guided_searches_by_project ON guided_searches (project);
CREATE INDEX guided_searches_by_time ON guided_searches (created_at);
