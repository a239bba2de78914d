-- The schema of a new database. The numbered files in migrations/ reach the same one; a test compares them.
-- AUTOINCREMENT on what can be forgotten: the id of a row that may come back is never given again.
-- Times are Unix milliseconds, UTC. Nothing newer than SQLite 3.31 outside FTS5.

CREATE TABLE projects (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,                    -- a label: the folder's name; two projects may share it
  root TEXT NOT NULL,                    -- the folder it was last seen in, absolute
  created_at INTEGER NOT NULL,
  announced_at INTEGER                   -- when it was told that a second folder joined; 0 = to be told
);

CREATE TABLE project_keys (              -- every identity a project was ever known by
  key TEXT PRIMARY KEY,                  -- "git:host/owner/repo", "path:/real/path", "name:override"
  project INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL
);
CREATE INDEX project_keys_by_project ON project_keys (project);

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL UNIQUE,       -- the host's
  project INTEGER NOT NULL REFERENCES projects (id),
  root TEXT NOT NULL,                    -- project root when the session began
  cwd TEXT NOT NULL,
  worktree TEXT NOT NULL DEFAULT '',     -- the git worktree's folder where it is not the root
  branch TEXT NOT NULL DEFAULT '',
  commit_id TEXT NOT NULL DEFAULT '',
  platform TEXT NOT NULL DEFAULT 'claude-code',
  started_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,              -- time of the newest event
  ended_at INTEGER,
  end_reason TEXT NOT NULL DEFAULT ''
);
CREATE INDEX sessions_by_project ON sessions (project, started_at);

CREATE TABLE prompts (                   -- a prompt opens a turn; Stop closes it
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  project INTEGER NOT NULL REFERENCES projects (id),
  number INTEGER NOT NULL,               -- 1, 2, … in the session; 0 = before any prompt
  prompt_id TEXT NOT NULL,               -- the host's, or one of ours
  text TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  last_message TEXT NOT NULL DEFAULT '',
  error TEXT NOT NULL DEFAULT '',        -- what StopFailure said
  distilled_uses INTEGER NOT NULL DEFAULT 0,  -- tool uses covered by the newest distillation
  model_uses INTEGER NOT NULL DEFAULT 0, -- the newest tool use (row id) that a model has distilled
  model_closed INTEGER NOT NULL DEFAULT 0,    -- 1: the turn's end was part of that
  branch TEXT NOT NULL DEFAULT '',       -- checked out at the turn's newest event; "" = not known
  commit_id TEXT NOT NULL DEFAULT '',
  UNIQUE (session, prompt_id)
);
CREATE INDEX prompts_by_project ON prompts (project, created_at);
CREATE INDEX prompts_by_session ON prompts (session, number);

CREATE TABLE tool_uses (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  prompt INTEGER NOT NULL REFERENCES prompts (id) ON DELETE CASCADE,
  tool_use_id TEXT NOT NULL,             -- the host's, "toolu_…"
  name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('ok', 'failed', 'refused')),
  agent_id TEXT NOT NULL DEFAULT '',
  agent_type TEXT NOT NULL DEFAULT '',
  duration_ms INTEGER,
  created_at INTEGER NOT NULL,
  UNIQUE (session, tool_use_id)
);
CREATE INDEX tool_uses_by_prompt ON tool_uses (prompt);
CREATE INDEX tool_uses_by_host_id ON tool_uses (tool_use_id);
CREATE INDEX tool_uses_by_time ON tool_uses (created_at);

CREATE TABLE tool_io (                   -- raw input and output, kept 90 days or 1 GB
  tool_use INTEGER PRIMARY KEY REFERENCES tool_uses (id) ON DELETE CASCADE,
  input BLOB NOT NULL,                   -- zlib of JSON, sanitised and capped
  output BLOB NOT NULL,
  size INTEGER NOT NULL                  -- bytes of both before compression
);

CREATE TABLE agents (                    -- subagents of a session
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  prompt INTEGER NOT NULL REFERENCES prompts (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL,
  agent_type TEXT NOT NULL DEFAULT '',
  last_message TEXT NOT NULL DEFAULT '',
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  UNIQUE (session, agent_id)
);
CREATE INDEX agents_by_prompt ON agents (prompt);

CREATE TABLE compactions (               -- when the host folded a session's context, and into what
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  prompt INTEGER NOT NULL REFERENCES prompts (id) ON DELETE CASCADE,
  cause TEXT NOT NULL DEFAULT '',        -- "manual", "auto"
  summary TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  UNIQUE (session, created_at)
);
CREATE INDEX compactions_by_prompt ON compactions (prompt);

CREATE TABLE observations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project INTEGER NOT NULL REFERENCES projects (id),
  session INTEGER REFERENCES sessions (id) ON DELETE CASCADE,   -- NULL: saved by hand outside a session
  prompt INTEGER REFERENCES prompts (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  title TEXT NOT NULL,
  narrative TEXT NOT NULL DEFAULT '',
  facts TEXT NOT NULL DEFAULT '[]',      -- JSON list of strings
  concepts TEXT NOT NULL DEFAULT '[]',   -- JSON list
  symbols TEXT NOT NULL DEFAULT '[]',    -- JSON list of qualified names
  evidence TEXT NOT NULL DEFAULT 'stated' CHECK (evidence IN ('verified', 'stated')),
  importance INTEGER NOT NULL DEFAULT 1,
  tainted INTEGER NOT NULL DEFAULT 0,    -- rests on web pages or foreign MCP output: found, never injected
  agent_type TEXT NOT NULL DEFAULT '',
  branch TEXT NOT NULL DEFAULT '',
  commit_id TEXT NOT NULL DEFAULT '',
  superseded_by INTEGER REFERENCES observations (id) ON DELETE SET NULL,
  distilled_by TEXT NOT NULL,            -- "rules/1", "user", a provider and prompt version
  content_hash TEXT NOT NULL,
  tokens INTEGER NOT NULL,               -- what the full record costs to read
  created_at INTEGER NOT NULL,
  UNIQUE (project, content_hash)
);
CREATE INDEX observations_by_project ON observations (project, created_at);
CREATE INDEX observations_by_session ON observations (session);
CREATE INDEX observations_by_prompt ON observations (prompt);
CREATE INDEX observations_superseded ON observations (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX observations_by_branch ON observations (project, branch, created_at);
CREATE INDEX observations_that_matter ON observations (project, created_at)   -- however old they are
 WHERE tainted = 0 AND superseded_by IS NULL
   AND (type IN ('decision', 'security_alert', 'security_note', 'sensitive')
    OR instr(concepts, '"gotcha"') > 0 OR distilled_by = 'user'
    OR (importance > 2 AND type <> 'bugfix')
    OR instr(lower(title), 'unfinished') > 0 OR instr(lower(title), 'half-done') > 0
    OR instr(lower(title), 'half done') > 0 OR instr(lower(title), 'half-finished') > 0
    OR instr(lower(title), 'halfway') > 0 OR instr(lower(title), 'incomplete') > 0
    OR instr(lower(title), 'not finished') > 0 OR instr(lower(title), 'not yet') > 0
    OR instr(lower(title), 'not done') > 0 OR instr(lower(title), 'not resolved') > 0
    OR instr(lower(title), 'unresolved') > 0 OR instr(lower(title), 'unsolved') > 0
    OR instr(lower(title), 'untested') > 0 OR instr(lower(title), 'still to ') > 0
    OR instr(lower(title), 'still missing') > 0 OR instr(lower(title), 'still fail') > 0
    OR instr(lower(title), 'still broken') > 0 OR instr(lower(title), 'still open') > 0
    OR instr(lower(title), 'still need') > 0 OR instr(lower(title), 'left to ') > 0
    OR instr(lower(title), 'left off') > 0 OR instr(lower(title), 'left out') > 0
    OR instr(lower(title), 'left open') > 0 OR instr(lower(title), 'to be done') > 0
    OR instr(lower(title), 'to do:') > 0 OR instr(lower(title), 'todo') > 0
    OR instr(lower(title), 'to-do') > 0 OR instr(lower(title), 'in progress') > 0
    OR instr(lower(title), 'paused') > 0 OR instr(lower(title), 'blocked') > 0
    OR instr(lower(title), 'outstanding') > 0 OR instr(lower(title), 'to follow') > 0
    OR instr(lower(title), 'follow-up') > 0 OR instr(lower(title), 'next step') > 0
    OR instr(lower(title), 'open question') > 0 OR instr(lower(title), 'open:') > 0
    OR instr(lower(title), 'remaining') > 0 OR instr(lower(title), 'needs to be') > 0
    OR instr(lower(title), 'second pass') > 0 OR instr(lower(title), 'stopped before') > 0
    OR instr(lower(title), 'wip') > 0 OR instr(lower(title), 'tbd') > 0
    OR instr(lower(title), 'fixme') > 0 OR instr(lower(title), ' fails: ') > 0
    OR instr(lower(title), 'flaky') > 0 OR instr(lower(title), 'intermittent') > 0
    OR instr(lower(title), 'only sometimes') > 0 OR instr(lower(title), 'cause unknown') > 0
    OR instr(lower(title), 'unknown cause') > 0 OR instr(lower(title), 'cause is unknown') > 0
    OR instr(lower(title), 'cause unclear') > 0 OR instr(lower(title), 'unexplained') > 0
    OR instr(lower(title), 'not reproduc') > 0 OR instr(lower(title), 'cannot reproduce') > 0
    OR instr(lower(title), 'can''t reproduce') > 0 OR instr(lower(title), 'not understood') > 0
    OR instr(lower(title), '未完') > 0 OR instr(lower(title), '待办') > 0
    OR instr(lower(title), '未対応') > 0 OR instr(lower(title), '未解決') > 0
    OR instr(lower(title), '未実装') > 0 OR instr(lower(title), '暂时') > 0
    OR instr(lower(title), '미완성') > 0 OR instr(lower(title), 'pendient') > 0
    OR instr(lower(title), 'à faire') > 0 OR instr(lower(title), 'inachevé') > 0
    OR instr(lower(title), 'noch offen') > 0 OR instr(lower(title), 'offene') > 0
    OR instr(lower(title), 'vorläufig') > 0 OR instr(lower(title), 'steht aus') > 0
    OR instr(lower(title), 'en espera') > 0 OR instr(lower(title), 'en attente') > 0
    OR instr(lower(title), 'не законч') > 0 OR instr(lower(title), 'незаверш') > 0
    OR instr(lower(title), 'временно') > 0
    OR (instr(lower(title), 'fixed ') <> 1
      AND instr(lower(title), 'added ') <> 1
      AND instr(lower(title), 'removed ') <> 1
      AND instr(lower(title), 'renamed ') <> 1
      AND instr(lower(title), 'commit ') <> 1
      AND instr(lower(title), 'installed ') <> 1
      AND instr(lower(title), 'moved ') <> 1
      AND instr(lower(title), ' passes: ') = 0
      AND (instr(lower(title), 'for now') > 0
        OR instr(lower(title), 'pending') > 0 OR instr(lower(title), 'temporar') > 0
        OR instr(lower(title), 'placeholder') > 0 OR instr(lower(title), 'stub') > 0
        OR instr(lower(title), 'missing') > 0 OR instr(lower(title), 'disabled') > 0
        OR instr(lower(title), 'skipped') > 0 OR instr(lower(title), 'needs ') > 0
        OR instr(lower(title), 'workaround') > 0)));
CREATE INDEX observations_laid_down ON observations (project, created_at)   -- decided, or saved by hand
 WHERE tainted = 0 AND superseded_by IS NULL AND (type = 'decision' OR distilled_by = 'user');

CREATE TABLE observation_files (
  observation INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
  path TEXT NOT NULL,                    -- relative to the project root where below it, "/" separated
  mode TEXT NOT NULL CHECK (mode IN ('read', 'modified')),
  PRIMARY KEY (observation, path, mode)
) WITHOUT ROWID;
CREATE INDEX observation_files_by_path ON observation_files (path);

CREATE TABLE observation_queries (       -- prompts to which a record would matter, found by and not shown
  observation INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
  query TEXT NOT NULL,
  PRIMARY KEY (observation, query)
) WITHOUT ROWID;

CREATE TABLE observation_tool_uses (     -- the evidence of a record
  observation INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
  tool_use INTEGER NOT NULL REFERENCES tool_uses (id) ON DELETE CASCADE,
  PRIMARY KEY (observation, tool_use)
) WITHOUT ROWID;
CREATE INDEX observation_tool_uses_by_use ON observation_tool_uses (tool_use);

CREATE TABLE summaries (                 -- one a turn
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project INTEGER NOT NULL REFERENCES projects (id),
  session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  prompt INTEGER NOT NULL UNIQUE REFERENCES prompts (id) ON DELETE CASCADE,
  request TEXT NOT NULL DEFAULT '',
  investigated TEXT NOT NULL DEFAULT '',
  learned TEXT NOT NULL DEFAULT '',
  completed TEXT NOT NULL DEFAULT '',
  next_steps TEXT NOT NULL DEFAULT '',
  tainted INTEGER NOT NULL DEFAULT 0,
  distilled_by TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX summaries_by_project ON summaries (project, created_at);
CREATE INDEX summaries_by_session ON summaries (session);

-- Full text over pre-tokenised text (storage/tokens.py). rowid = id * 4 + kind, kind 0 observation,
-- 1 summary, 2 prompt. scope holds filter words: "p<project>", "k<kind>", "t<type>"; it never ranks.
CREATE VIRTUAL TABLE search_text USING fts5 (
  scope, title, body, files,
  tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TABLE embedders (                 -- the models that ever made vectors here
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,             -- with its version: another name makes other vectors
  dimensions INTEGER NOT NULL
);

CREATE TABLE vectors (                   -- what records mean, to an embedder; one a row of search_text
  row INTEGER PRIMARY KEY,               -- as in search_text
  embedder INTEGER NOT NULL REFERENCES embedders (id),
  vector BLOB NOT NULL                   -- int8, each scaled to its largest component; of long records several;
                                         -- x'': kept from the embedder, x'00': refused by it
);
CREATE INDEX vectors_by_embedder ON vectors (embedder);
CREATE INDEX vectors_not_made ON vectors (embedder, row) WHERE length(vector) < 2;

CREATE TABLE unembedded (                -- rows that wait for a vector
  row INTEGER PRIMARY KEY
);

CREATE TABLE guided_searches (           -- mem_search, from one of its calls to the next
  continuation TEXT PRIMARY KEY,         -- "ms_…"
  project INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  relay TEXT NOT NULL,                   -- who began it
  step INTEGER NOT NULL,                 -- the last one that was answered: 1, 2 or 3
  bounds TEXT NOT NULL,                  -- JSON: maxDetails, depthBefore, depthAfter
  ids TEXT NOT NULL,                     -- JSON list: what may be asked for next
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX guided_searches_by_project ON guided_searches (project);
CREATE INDEX guided_searches_by_time ON guided_searches (created_at);

CREATE TABLE work_states (               -- what is being worked on; a project's newest row is in force
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project INTEGER NOT NULL REFERENCES projects (id),
  session INTEGER REFERENCES sessions (id) ON DELETE CASCADE,   -- NULL: written outside a session
  branch TEXT NOT NULL DEFAULT '',
  task TEXT NOT NULL DEFAULT '',
  next_steps TEXT NOT NULL DEFAULT '',   -- one a line, as the next two
  open_questions TEXT NOT NULL DEFAULT '',
  blockers TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL
);
CREATE INDEX work_states_by_project ON work_states (project, id);
CREATE INDEX work_states_by_session ON work_states (session);

CREATE TABLE recalled (                  -- what a session was told unasked: nothing is told twice
  session_id TEXT NOT NULL,              -- the host's: its own row may come later
  observation INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  PRIMARY KEY (session_id, observation)
) WITHOUT ROWID;
CREATE INDEX recalled_by_observation ON recalled (observation);
CREATE INDEX recalled_by_time ON recalled (at);

CREATE TABLE gates (                     -- whole Reads that were answered with an outline, and what that spared
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  session_id TEXT NOT NULL,              -- the host's
  agent_id TEXT NOT NULL DEFAULT '',
  path TEXT NOT NULL,                    -- real and absolute
  would_deliver INTEGER NOT NULL,        -- tokens of the Read
  given INTEGER NOT NULL,                -- tokens of the answer instead
  afterwards INTEGER NOT NULL DEFAULT 0, -- tokens of the file that were read later, by any tool
  calls INTEGER NOT NULL DEFAULT 0,      -- in so many calls: each a round trip more
  context INTEGER NOT NULL DEFAULT 0,    -- tokens of the session's context then; 0 = not known
  created_at INTEGER NOT NULL
);
CREATE INDEX gates_by_project ON gates (project, created_at);
CREATE INDEX gates_by_session ON gates (session_id, path);

CREATE TABLE branches (                  -- what became of the branches on which something was learnt
  project INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'merged', 'deleted')),  -- deleted: and never merged
  checked_at INTEGER NOT NULL,
  PRIMARY KEY (project, name)
) WITHOUT ROWID;

CREATE TABLE jobs (                      -- the queue is the table
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,                    -- "rules", "model"
  prompt INTEGER NOT NULL REFERENCES prompts (id) ON DELETE CASCADE,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'leased', 'done', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before INTEGER NOT NULL DEFAULT 0,
  leased_until INTEGER NOT NULL DEFAULT 0,
  error TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  call INTEGER NOT NULL DEFAULT 0,       -- the reservation of the call that holds a leased model job
  UNIQUE (prompt, kind)
);
CREATE INDEX jobs_by_prompt ON jobs (prompt);
CREATE INDEX jobs_open ON jobs (state, not_before);

CREATE TABLE ledger (                    -- one row a distillation: what it cost
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  project INTEGER REFERENCES projects (id) ON DELETE SET NULL,
  job INTEGER REFERENCES jobs (id) ON DELETE SET NULL,
  provider TEXT NOT NULL,                -- "rules" costs nothing
  model TEXT NOT NULL DEFAULT '',
  tokens_in INTEGER NOT NULL DEFAULT 0,
  tokens_out INTEGER NOT NULL DEFAULT 0,
  tokens_cached INTEGER NOT NULL DEFAULT 0,
  tool_uses INTEGER NOT NULL DEFAULT 0,
  rows_written INTEGER NOT NULL DEFAULT 0,
  duration_ms INTEGER NOT NULL DEFAULT 0,
  price_usd REAL,                        -- NULL: not known
  dropped INTEGER NOT NULL DEFAULT 0,    -- details that the events do not hold
  outcome TEXT NOT NULL DEFAULT 'done'   -- "nothing": nothing worth recording; else why it was of no use
);
CREATE INDEX ledger_by_time ON ledger (at);
CREATE INDEX ledger_by_job ON ledger (job);

CREATE TABLE reservations (              -- what calls under way may cost; counts against the daily cap
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  project INTEGER REFERENCES projects (id) ON DELETE SET NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL DEFAULT '',
  tokens_in INTEGER NOT NULL,            -- estimated
  tokens_out INTEGER NOT NULL,           -- the most that the answer may have; expected, once it is lost
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'lost'))  -- lost: nobody knows its bill
);
CREATE INDEX reservations_by_time ON reservations (at);

CREATE TABLE forgotten (                 -- what was forgotten, kept one day for undo
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  label TEXT NOT NULL,                   -- "3 observations, 1 prompt": never the text
  rows BLOB NOT NULL                     -- zlib of JSON: table -> list of rows
);

CREATE TABLE migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at INTEGER NOT NULL
);
