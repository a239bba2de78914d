-- turns of session --
SELECT p.id FROM prompts p JOIN sessions s ON s.id = p.session WHERE s.session_id = :session

-- turns of project --
SELECT id FROM prompts WHERE project = :project

-- turns within --
SELECT id FROM prompts
 WHERE project = :project AND coalesce(ended_at, created_at) >= :start AND created_at < :end

-- saved within --
-- What was saved by hand belongs to no turn.
SELECT id FROM observations
 WHERE project = :project AND prompt IS NULL AND created_at >= :start AND created_at < :end

-- observations of turn --
SELECT id FROM observations WHERE prompt = ?

-- summaries of turn --
SELECT id FROM summaries WHERE prompt = ?

-- tool uses of turn --
SELECT id FROM tool_uses WHERE prompt = ?

-- agents of turn --
SELECT id FROM agents WHERE prompt = ?

-- compactions of turn --
SELECT id FROM compactions WHERE prompt = ?

-- work states of turn --
-- What was written down between its prompt and the next.
SELECT w.id FROM prompts p JOIN work_states w ON w.session = p.session
 WHERE p.id = ? AND w.created_at >= p.created_at
   AND NOT EXISTS (SELECT 1 FROM prompts n WHERE n.session = p.session AND n.number > p.number
                      AND n.created_at <= w.created_at)

-- work states of session --
SELECT w.id FROM work_states w JOIN sessions s ON s.id = w.session WHERE s.session_id = :session

-- work states within --
SELECT id FROM work_states
 WHERE project = :project AND created_at >= :start AND created_at < :end

-- work states around --
-- The states of a turn's session as text, to find those that tell the same as a record.
SELECT w.id, w.task || char(10) || w.next_steps || char(10) || w.open_questions || char(10)
       || w.blockers FROM prompts p JOIN work_states w ON w.session = p.session WHERE p.id = ?

-- work state texts --
SELECT id, task || char(10) || next_steps || char(10) || open_questions || char(10) || blockers
       || char(10) || branch FROM work_states WHERE project = ?

-- tool uses of observation --
SELECT tool_use FROM observation_tool_uses WHERE observation = ?

-- observations on tool use --
SELECT observation FROM observation_tool_uses WHERE tool_use = ?

-- kin --
-- A record with what was merged into it in its own turn, or it into, and so on.
WITH RECURSIVE kin (id) AS (
  SELECT ?
  UNION
  SELECT other.id FROM kin JOIN observations one ON one.id = kin.id
    JOIN observations other ON other.prompt = one.prompt
     AND (other.superseded_by = one.id OR other.id = one.superseded_by))
SELECT id FROM kin

-- is of a model --
SELECT 1 FROM observations
 WHERE id = ? AND distilled_by <> 'user' AND distilled_by NOT LIKE 'rules/%'

-- distilled from tool use --
-- The records on a tool use, and whether a model wrote them.
SELECT o.id, o.distilled_by NOT LIKE 'rules/%'
  FROM observation_tool_uses l JOIN observations o ON o.id = l.observation
 WHERE l.tool_use = ? AND o.distilled_by <> 'user'

-- turn of observation --
SELECT prompt FROM observations WHERE id = ?

-- turn of tool use --
SELECT prompt FROM tool_uses WHERE id = ?

-- turn of summary --
SELECT prompt FROM summaries WHERE id = ?

-- texts of turn --
-- Every record of a turn as text, to find the others that tell the same.
SELECT id, title || char(10) || narrative || char(10) || facts || char(10)
       || coalesce((SELECT group_concat(query, char(10)) FROM observation_queries
                     WHERE observation = observations.id), '') FROM observations WHERE prompt = ?

-- observation texts --
SELECT id, title || char(10) || narrative || char(10) || facts || char(10)
       || coalesce((SELECT group_concat(query, char(10)) FROM observation_queries
                     WHERE observation = observations.id), '') FROM observations WHERE project = ?

-- summary texts --
SELECT id, request || char(10) || investigated || char(10) || learned || char(10) || completed
       || char(10) || next_steps FROM summaries WHERE project = ?

-- prompt texts --
SELECT id, text || char(10) || last_message || char(10) || error FROM prompts WHERE project = ?

-- agent texts --
SELECT a.prompt, a.last_message FROM agents a JOIN prompts p ON p.id = a.prompt WHERE p.project = ?

-- compaction texts --
SELECT c.prompt, c.summary FROM compactions c JOIN prompts p ON p.id = c.prompt WHERE p.project = ?

-- tool texts --
SELECT t.id, i.input, i.output FROM tool_io i JOIN tool_uses t ON t.id = i.tool_use
  JOIN prompts p ON p.id = t.prompt WHERE p.project = ?

-- refill prompt --
-- What a model saw before is not sent again. The late call has no end yet, unless one came, too.
UPDATE prompts SET text = :text, created_at = :created_at, last_message =
       CASE last_message WHEN '' THEN :last_message ELSE last_message END,
       model_uses = max(model_uses, :model_uses),
       model_closed = CASE WHEN ended_at IS NULL THEN :model_closed ELSE model_closed END,
       ended_at = coalesce(ended_at, :ended_at)
 WHERE id = :id AND text = ''

-- jobs of turns --
SELECT kind, prompt, state, attempts, not_before, created_at, finished_at FROM jobs WHERE prompt = ?

-- drop job error --
UPDATE jobs SET error = '' WHERE prompt = ?

-- restore job --
-- Whoever held it has lost it. A turn that was recorded again has one, which is opened if this was.
INSERT INTO jobs (kind, prompt, state, attempts, not_before, created_at, finished_at)
VALUES (:kind, :prompt, CASE :state WHEN 'leased' THEN 'pending' ELSE :state END, :attempts,
        :not_before, :created_at, :finished_at)
ON CONFLICT (prompt, kind) DO UPDATE SET state = 'pending', finished_at = NULL
 WHERE jobs.state = 'done' AND excluded.state = 'pending'

-- has job of kind --
SELECT 1 FROM jobs WHERE prompt = ? AND kind = ?

-- end is unseen --
-- A model saw a turn's end without the calls that came back: it tells the end anew, with them.
UPDATE prompts SET model_closed = 0
 WHERE id = :prompt AND ended_at IS NOT NULL
   AND EXISTS (SELECT 1 FROM tool_uses t WHERE t.prompt = :prompt AND t.id > model_uses)

-- is recent --
SELECT 1 FROM prompts WHERE id = ? AND created_at >= ?

-- superseded by --
-- What stays, and is current again as long as its successor is forgotten.
SELECT id, superseded_by FROM observations WHERE superseded_by = ?

-- supersede again --
UPDATE observations SET superseded_by = :by
 WHERE id = :id AND superseded_by IS NULL AND id <> :by
   AND EXISTS (SELECT 1 FROM observations WHERE id = :by)

-- add --
INSERT INTO forgotten (at, label, rows) VALUES (?, ?, ?)

-- newest --
SELECT id, at, label, rows FROM forgotten ORDER BY id DESC LIMIT 1

-- listed --
SELECT id, at, label FROM forgotten ORDER BY id DESC

-- drop --
DELETE FROM forgotten WHERE id = ?

-- drop overdue --
DELETE FROM forgotten WHERE at < ?

-- forget branches --
UPDATE sessions SET branch = '', commit_id = ''
 WHERE branch <> '' AND NOT EXISTS (SELECT 1 FROM prompts p WHERE p.session = sessions.id)

-- forget spared reads --
DELETE FROM gates WHERE session_id IN
  (SELECT s.session_id FROM sessions s
    WHERE NOT EXISTS (SELECT 1 FROM prompts p WHERE p.session = s.id))
