-- open_job --
-- One job a turn: more events open it again.
INSERT INTO jobs (kind, prompt, created_at) VALUES ('rules', :prompt, :at)
ON CONFLICT (prompt, kind) DO UPDATE SET
  state = 'pending', not_before = 0, attempts = 0, error = '', finished_at = NULL

-- claim_job --
-- The oldest job that is due, or whose holder's lease ran out.
UPDATE jobs SET state = 'leased', leased_until = :until, attempts = attempts + 1
 WHERE id = (SELECT id FROM jobs
              WHERE kind = 'rules' AND ((state = 'pending' AND not_before <= :now)
                 OR (state = 'leased' AND leased_until < :now))
              ORDER BY id LIMIT 1)
RETURNING id, prompt, attempts

-- finish_job --
UPDATE jobs SET state = 'done', error = '', finished_at = :at WHERE id = :id AND state = 'leased'

-- fail_job --
UPDATE jobs SET state = :state, not_before = :not_before, error = :error,
       finished_at = CASE :state WHEN 'dead' THEN :at END
 WHERE id = :id

-- release_job --
-- The database failed, not the turn: the attempt does not count.
UPDATE jobs SET state = 'pending', attempts = attempts - 1 WHERE id = ?

-- release_jobs --
-- What a worker held when it was killed; the attempt counts, since the turn may have killed it.
UPDATE jobs SET state = 'pending' WHERE state = 'leased' AND kind = 'rules'

-- requeue_dead --
UPDATE jobs SET state = 'pending', attempts = 0, not_before = 0 WHERE state = 'dead'

-- count_open --
SELECT count(*) FROM jobs WHERE kind = 'rules' AND state IN ('pending', 'leased')

-- job_counts --
-- Those of a model are counted apart: with a cap reached or a provider away they may wait for days.
SELECT state, count(*) FROM jobs WHERE kind = 'rules' AND state <> 'done' GROUP BY state

-- oldest_open_job --
SELECT min(created_at) FROM jobs WHERE kind = 'rules' AND state IN ('pending', 'leased')

-- turn --
SELECT p.number, p.text, p.last_message, p.error, p.created_at, p.ended_at,
       s.root, s.cwd, s.id, s.project, s.session_id,
       CASE WHEN p.branch || p.commit_id = '' THEN s.branch ELSE p.branch END,
       CASE WHEN p.branch || p.commit_id = '' THEN s.commit_id ELSE p.commit_id END,
       s.worktree, p.model_uses, p.model_closed
  FROM prompts p JOIN sessions s ON s.id = p.session WHERE p.id = ?

-- turn_tool_uses --
SELECT t.id, t.tool_use_id, t.name, t.status, t.created_at, t.duration_ms, t.agent_id,
       t.agent_type, i.input, i.output
  FROM tool_uses t LEFT JOIN tool_io i ON i.tool_use = t.id
 WHERE t.prompt = ? ORDER BY t.created_at, t.id LIMIT 5000

-- turn_agents --
SELECT agent_id, agent_type, last_message, ended_at FROM agents
 WHERE prompt = ? AND last_message <> '' ORDER BY id

-- open_errors --
-- Titles of failures that earlier turns of the session left open.
SELECT title FROM observations
 WHERE session = :session AND prompt < :prompt AND concepts LIKE '%"gotcha"%'
   AND evidence = 'stated' ORDER BY id DESC LIMIT 10

-- turn_rows --
SELECT id, content_hash, distilled_by LIKE 'rules/%' AND superseded_by IS NULL
  FROM observations WHERE prompt = ?

-- newest_seen --
-- How far a model came with a turn, where one of its tool uses lies behind that.
SELECT p.model_uses FROM prompts p JOIN tool_uses t ON t.session = p.session
 WHERE p.id = :prompt AND t.tool_use_id = :tool_use_id AND t.id > p.model_uses

-- add_observation --
INSERT INTO observations
  (project, session, prompt, type, title, narrative, facts, concepts, symbols, evidence,
   importance, tainted, agent_type, branch, commit_id, distilled_by, content_hash, tokens, created_at)
VALUES
  (:project, :session, :prompt, :type, :title, :narrative, :facts, :concepts, :symbols, :evidence,
   :importance, :tainted, :agent_type, :branch, :commit_id, :distilled_by, :content_hash, :tokens,
   :created_at)
ON CONFLICT (project, content_hash) DO NOTHING RETURNING id

-- replace_observation --
UPDATE observations SET type = :type, title = :title, narrative = :narrative, facts = :facts,
       concepts = :concepts, symbols = :symbols, evidence = :evidence, importance = :importance,
       tainted = :tainted, agent_type = :agent_type, distilled_by = :distilled_by,
       tokens = :tokens
 WHERE id = :id

-- observation_by_hash --
SELECT id FROM observations WHERE project = ? AND content_hash = ?

-- drop_observation --
DELETE FROM observations WHERE id = ?

-- drop_files --
DELETE FROM observation_files WHERE observation = ?

-- add_file --
INSERT OR IGNORE INTO observation_files (observation, path, mode) VALUES (?, ?, ?)

-- drop_queries --
DELETE FROM observation_queries WHERE observation = ?

-- add_query --
INSERT OR IGNORE INTO observation_queries (observation, query) VALUES (?, ?)

-- drop_links --
DELETE FROM observation_tool_uses WHERE observation = ?

-- add_link --
INSERT OR IGNORE INTO observation_tool_uses (observation, tool_use)
SELECT ?, id FROM tool_uses WHERE session = ? AND tool_use_id = ?

-- put_summary --
INSERT INTO summaries
  (project, session, prompt, request, investigated, learned, completed, next_steps, tainted,
   distilled_by, tokens, created_at)
VALUES
  (:project, :session, :prompt, :request, :investigated, :learned, :completed, :next_steps,
   :tainted, :distilled_by, :tokens, :created_at)
ON CONFLICT (prompt) DO UPDATE SET request = excluded.request, investigated = excluded.investigated,
   learned = excluded.learned, completed = excluded.completed, next_steps = excluded.next_steps,
   tainted = excluded.tainted, distilled_by = excluded.distilled_by, tokens = excluded.tokens
RETURNING id

-- summary_of --
SELECT id, distilled_by LIKE 'rules/%' FROM summaries WHERE prompt = ?

-- drop_summary --
DELETE FROM summaries WHERE id = ?

-- distilled --
UPDATE prompts SET distilled_uses = :uses WHERE id = :prompt

-- add_ledger --
INSERT INTO ledger (at, project, job, provider, tool_uses, rows_written, duration_ms)
VALUES (:at, :project, :job, :provider, :tool_uses, :rows_written, :duration_ms)

-- put_text --
INSERT INTO search_text (rowid, scope, title, body, files) VALUES (?, ?, ?, ?, ?)

-- drop_text --
DELETE FROM search_text WHERE rowid = ?

-- rank_all_texts --
-- of all documents what ranking reads; each has one of these words
SELECT count(*) FROM (
  SELECT bm25(search_text) AS score FROM search_text
  WHERE search_text MATCH 'scope : ("kobservation" OR "ksummary" OR "kprompt")' AND score < 1e9
)

-- count_texts --
SELECT count(*) FROM search_text_docsize

-- missing_texts --
-- records without a document, and documents without a record
SELECT (SELECT count(*) FROM (
    SELECT id * 4 AS row FROM observations
    UNION ALL SELECT id * 4 + 1 FROM summaries
    UNION ALL SELECT id * 4 + 2 FROM prompts WHERE number > 0 AND text <> ''
  ) r WHERE NOT EXISTS (SELECT 1 FROM search_text_docsize d WHERE d.id = r.row))
  + (SELECT count(*) FROM search_text_docsize d WHERE NOT EXISTS (
    SELECT 1 FROM observations WHERE d.id & 3 = 0 AND id = d.id >> 2
    UNION ALL SELECT 1 FROM summaries WHERE d.id & 3 = 1 AND id = d.id >> 2
    UNION ALL SELECT 1 FROM prompts WHERE d.id & 3 = 2 AND id = d.id >> 2))

-- any_text --
SELECT EXISTS (SELECT 1 FROM search_text
    WHERE search_text MATCH 'scope : ("kobservation" OR "ksummary" OR "kprompt")')
  OR NOT EXISTS (SELECT 1 FROM search_text_docsize)

-- check_text --
INSERT INTO search_text (search_text) VALUES ('integrity-check')

-- drop_vector --
DELETE FROM vectors WHERE row = ?

-- await_vector --
INSERT OR IGNORE INTO unembedded (row) VALUES (?)

-- await_no_vector --
DELETE FROM unembedded WHERE row = ?
