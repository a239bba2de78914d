-- Distilling by a model: how far it came with each turn, what calls cost, and what is under way.

ALTER TABLE prompts ADD COLUMN model_uses INTEGER NOT NULL DEFAULT 0;

ALTER TABLE prompts ADD COLUMN model_closed INTEGER NOT NULL DEFAULT 0;

ALTER TABLE jobs ADD COLUMN call INTEGER NOT NULL DEFAULT 0;

ALTER TABLE ledger ADD COLUMN price_usd REAL;

ALTER TABLE ledger ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0;

ALTER TABLE ledger ADD COLUMN outcome TEXT NOT NULL DEFAULT 'done';

CREATE TABLE reservations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  project INTEGER REFERENCES projects (id) ON DELETE SET NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL DEFAULT '',
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'lost'))
);
CREATE INDEX reservations_by_time ON reservations (at);
