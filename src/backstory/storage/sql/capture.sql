-- session --
-- The row of a host session.
SELECT s.id, s.project, s.root, s.cwd, s.worktree, s.branch, s.commit_id
  FROM sessions s WHERE s.session_id = ?

-- add_session --
INSERT INTO sessions
  (session_id, project, root, cwd, worktree, branch, commit_id, started_at, last_at)
VALUES (:session_id, :project, :root, :cwd, :worktree, :branch, :commit_id, :at, :at)

-- touch_session --
UPDATE sessions SET last_at = max(last_at, :at), started_at = min(started_at, :at) WHERE id = :session

-- end_session --
UPDATE sessions SET ended_at = :at, end_reason = :reason WHERE id = :session

-- reopen_session --
UPDATE sessions SET ended_at = NULL, end_reason = '' WHERE id = :session

-- project_by_key --
SELECT p.id, p.name, p.root FROM project_keys k JOIN projects p ON p.id = k.project WHERE k.key = ?

-- add_project --
INSERT INTO projects (name, root, created_at) VALUES (:name, :root, :at)

-- add_project_key --
INSERT INTO project_keys (key, project, created_at) VALUES (:key, :project, :at)
ON CONFLICT (key) DO NOTHING

-- joined --
-- A second folder shares the project: to be announced, once.
UPDATE projects SET announced_at = 0
 WHERE id = ?1 AND announced_at IS NULL
   AND (SELECT count(*) FROM project_keys WHERE project = ?1 AND key LIKE 'path:%') > 1

-- newly_joined --
SELECT id, name FROM projects WHERE announced_at = 0

-- folders --
SELECT substr(key, 6) FROM project_keys WHERE project = ? AND key LIKE 'path:%' ORDER BY created_at

-- announced --
UPDATE projects SET announced_at = ? WHERE id = ?

-- prompt_by_host_id --
SELECT id FROM prompts WHERE session = ? AND prompt_id = ?

-- latest_prompt --
SELECT id, number, prompt_id, created_at, ended_at FROM prompts WHERE session = ?
 ORDER BY number DESC LIMIT 1

-- add_prompt --
INSERT INTO prompts (session, project, number, prompt_id, text, created_at)
VALUES (:session, :project, :number, :prompt_id, :text, :at)

-- fill_prompt --
-- The prompt of a turn whose first tool call arrived before it.
UPDATE prompts SET text = :text, created_at = min(created_at, :at) WHERE id = :id AND text = ''

-- checked_out --
UPDATE prompts SET branch = ?, commit_id = ? WHERE id = ?

-- end_prompt --
UPDATE prompts SET ended_at = :at, last_message = :message, error = :error WHERE id = :id

-- add_tool_use --
INSERT INTO tool_uses
  (session, prompt, tool_use_id, name, status, agent_id, agent_type, duration_ms, created_at)
VALUES
  (:session, :prompt, :tool_use_id, :name, :status, :agent_id, :agent_type, :duration_ms, :at)
ON CONFLICT (session, tool_use_id) DO NOTHING

-- correct_tool_use --
-- A batch reported the call first, as refused; its own event has arrived since.
UPDATE tool_uses SET status = :status, duration_ms = :duration_ms
 WHERE session = :session AND tool_use_id = :tool_use_id AND status = 'refused' AND :status <> 'refused'
RETURNING id

-- has_tool_use --
SELECT 1 FROM tool_uses WHERE session = ? AND tool_use_id = ?

-- put_tool_io --
INSERT OR REPLACE INTO tool_io (tool_use, input, output, size) VALUES (?, ?, ?, ?)

-- start_agent --
INSERT INTO agents (session, prompt, agent_id, agent_type, started_at)
VALUES (:session, :prompt, :agent_id, :agent_type, :at)
ON CONFLICT (session, agent_id) DO NOTHING

-- end_agent --
INSERT INTO agents (session, prompt, agent_id, agent_type, last_message, started_at, ended_at)
VALUES (:session, :prompt, :agent_id, :agent_type, :message, :at, :at)
ON CONFLICT (session, agent_id) DO UPDATE SET last_message = excluded.last_message,
  ended_at = excluded.ended_at

-- add_compaction --
INSERT INTO compactions (session, prompt, cause, summary, created_at)
VALUES (:session, :prompt, :cause, :summary, :at)
ON CONFLICT (session, created_at) DO NOTHING

-- pending_uses --
-- Tool uses of a turn, and how many of them its newest distillation covered.
SELECT (SELECT count(*) FROM tool_uses WHERE prompt = p.id), p.distilled_uses, p.ended_at
  FROM prompts p WHERE p.id = ?

-- idle_prompts --
-- Turns that nobody closed, with something to distil, in sessions that went quiet.
SELECT p.id FROM sessions s JOIN prompts p ON p.session = s.id
 WHERE s.last_at BETWEEN :since AND :quiet_since AND p.ended_at IS NULL
   AND EXISTS (SELECT 1 FROM tool_uses t WHERE t.prompt = p.id)
   AND p.distilled_uses < (SELECT count(*) FROM tool_uses t WHERE t.prompt = p.id)

-- unclosed_turns --
-- Turns of a project that nobody closed, with something to distil.
SELECT p.id FROM sessions s JOIN prompts p ON p.session = s.id
 WHERE s.project = :project AND s.last_at >= :since AND p.ended_at IS NULL
   AND p.distilled_uses < (SELECT count(*) FROM tool_uses t WHERE t.prompt = p.id)
