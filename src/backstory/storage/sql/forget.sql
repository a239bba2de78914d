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

-- tool uses of observation --
SELECT tool_use FROM observation_tool_uses WHERE observation = ?

-- observations on tool use --
SELECT observation FROM observation_tool_uses WHERE tool_use = ?

-- turn of observation --
SELECT prompt FROM observations WHERE id = ?

-- turn of tool use --
SELECT prompt FROM tool_uses WHERE id = ?

-- turn of summary --
SELECT prompt FROM summaries WHERE id = ?

-- texts of turn --
-- Every record of a turn as text, to find the others that tell the same.
SELECT id, title || char(10) || narrative || char(10) || facts FROM observations WHERE prompt = ?

-- observation texts --
SELECT id, title || char(10) || narrative || char(10) || facts FROM observations WHERE project = ?

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
UPDATE prompts SET text = :text, created_at = :created_at, last_message =
       CASE last_message WHEN '' THEN :last_message ELSE last_message END
 WHERE id = :id AND text = ''

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
