-- Recall in time: what is being worked on, what a session was told, Reads that were spared, branches.

CREATE TABLE work_states (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project INTEGER NOT NULL REFERENCES projects (id),
  session INTEGER REFERENCES sessions (id) ON DELETE CASCADE,
  branch TEXT NOT NULL DEFAULT '',
  task TEXT NOT NULL DEFAULT '',
  next_steps TEXT NOT NULL DEFAULT '',
  open_questions TEXT NOT NULL DEFAULT '',
  blockers TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL
);
CREATE INDEX work_states_by_project ON work_states (project, id);
CREATE INDEX work_states_by_session ON work_states (session);

CREATE TABLE recalled (
  session_id TEXT NOT NULL,
  observation INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  PRIMARY KEY (session_id, observation)
) WITHOUT ROWID;
CREATE INDEX recalled_by_observation ON recalled (observation);
CREATE INDEX recalled_by_time ON recalled (at);

CREATE TABLE gates (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  session_id TEXT NOT NULL,
  agent_id TEXT NOT NULL DEFAULT '',
  path TEXT NOT NULL,
  would_deliver INTEGER NOT NULL,
  given INTEGER NOT NULL,
  afterwards INTEGER NOT NULL DEFAULT 0,
  calls INTEGER NOT NULL DEFAULT 0,
  context INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
);
CREATE INDEX gates_by_project ON gates (project, created_at);
CREATE INDEX gates_by_session ON gates (session_id, path);

CREATE TABLE branches (
  project INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'merged', 'deleted')),
  checked_at INTEGER NOT NULL,
  PRIMARY KEY (project, name)
) WITHOUT ROWID;

ALTER TABLE prompts ADD COLUMN branch TEXT NOT NULL DEFAULT '';

ALTER TABLE prompts ADD COLUMN commit_id TEXT NOT NULL DEFAULT '';

CREATE INDEX observations_by_branch ON observations (project, branch, created_at);

CREATE INDEX observations_that_matter ON observations (project, created_at)
 WHERE tainted = 0 AND superseded_by IS NULL
   AND (type IN ('decision', 'security_alert', 'security_note', 'sensitive')
    OR instr(concepts, '"gotcha"') > 0 OR distilled_by = 'user'
    OR instr(lower(title), 'unfinished') > 0 OR instr(lower(title), 'half-done') > 0
    OR instr(lower(title), 'halfway') > 0 OR instr(lower(title), 'incomplete') > 0
    OR instr(lower(title), 'not finished') > 0 OR instr(lower(title), 'not yet') > 0
    OR instr(lower(title), 'not done') > 0 OR instr(lower(title), 'still to ') > 0
    OR instr(lower(title), 'left to ') > 0 OR instr(lower(title), 'to be done') > 0
    OR instr(lower(title), 'to do:') > 0 OR instr(lower(title), 'todo') > 0
    OR instr(lower(title), 'in progress') > 0 OR instr(lower(title), 'paused') > 0
    OR instr(lower(title), 'blocked') > 0 OR instr(lower(title), 'unresolved') > 0
    OR instr(lower(title), ' fails: ') > 0 OR instr(lower(title), '未完') > 0
    OR instr(lower(title), '待办') > 0 OR instr(lower(title), '未対応') > 0
    OR instr(lower(title), 'pendient') > 0 OR instr(lower(title), 'noch offen') > 0
    OR instr(lower(title), 'не законч') > 0 OR instr(lower(title), 'незаверш') > 0);
