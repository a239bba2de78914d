-- Full records, and the raw tool calls that they rest on.

-- observations --
SELECT o.id, o.project AS project_id, p.name AS project, coalesce(s.session_id, '') AS session_id,
  q.number AS prompt, o.type, o.title, o.created_at,
  o.tokens, o.narrative, o.facts, o.concepts, o.symbols, o.evidence, o.importance, o.tainted,
  o.agent_type, o.branch, o.commit_id, o.superseded_by, o.distilled_by
FROM observations o JOIN projects p ON p.id = o.project
  LEFT JOIN sessions s ON s.id = o.session LEFT JOIN prompts q ON q.id = o.prompt
WHERE o.id IN (SELECT value FROM json_each(:ids))

-- summaries --
SELECT u.id, u.project AS project_id, p.name AS project, s.session_id, q.number AS prompt, u.created_at, u.tokens, u.request,
  u.investigated, u.learned, u.completed, u.next_steps, u.tainted, u.distilled_by
FROM summaries u JOIN projects p ON p.id = u.project JOIN sessions s ON s.id = u.session
  JOIN prompts q ON q.id = u.prompt
WHERE u.id IN (SELECT value FROM json_each(:ids))

-- prompts --
SELECT q.id, q.project AS project_id, p.name AS project, s.session_id, q.number, q.created_at,
  q.text, q.last_message, q.error
FROM prompts q JOIN projects p ON p.id = q.project JOIN sessions s ON s.id = q.session
WHERE q.id IN (SELECT value FROM json_each(:ids))

-- files --
SELECT observation, path, mode FROM observation_files
WHERE observation IN (SELECT value FROM json_each(:ids)) ORDER BY observation, path

-- links --
-- what observations rest on
SELECT l.observation, t.id, t.tool_use_id, t.name, t.status
FROM observation_tool_uses l JOIN tool_uses t ON t.id = l.tool_use
WHERE l.observation IN (SELECT value FROM json_each(:ids)) ORDER BY l.observation, t.id

-- tool uses --
-- by our ids or the host's, oldest first
SELECT t.id, t.tool_use_id, s.project AS project_id, p.name AS project, s.session_id, t.name, t.status, t.agent_type,
  t.duration_ms, t.created_at, io.input, io.output
FROM tool_uses t JOIN sessions s ON s.id = t.session JOIN projects p ON p.id = s.project
  LEFT JOIN tool_io io ON io.tool_use = t.id
WHERE t.id IN (SELECT value FROM json_each(:ids))
  OR t.tool_use_id IN (SELECT value FROM json_each(:host_ids))
ORDER BY t.created_at, t.id
