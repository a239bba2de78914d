-- Conditions over one record, {r} the alias of its table. A second word names the kinds it is for.

-- project_ids --
{r}.project IN (SELECT value FROM json_each(:f_project_ids))

-- types --
{r}.type IN (SELECT value FROM json_each(:f_types))

-- concepts --
EXISTS (SELECT 1 FROM json_each({r}.concepts) c
  WHERE c.value IN (SELECT value FROM json_each(:f_concepts)))

-- files --
-- the path itself, its end behind a "/", or a folder in it; by instr and substr, since a path is
-- data and none of its characters a wildcard
EXISTS (SELECT 1 FROM observation_files f, json_each(:f_files) w
  WHERE f.observation = {r}.id AND (f.path = w.value
    OR substr(f.path, -length(w.value) - 1) = '/' || w.value
    OR substr(f.path, 1, length(w.value) + 1) = w.value || '/'
    OR instr(f.path, '/' || w.value || '/')))

-- agents --
CASE {r}.agent_type WHEN '' THEN 'main' ELSE {r}.agent_type END
  IN (SELECT value FROM json_each(:f_agents))

-- saved --
{r}.distilled_by = 'user'

-- branches observation --
{r}.branch IN (SELECT value FROM json_each(:f_branches))

-- branches other --
{r}.session IN (SELECT s.id FROM sessions s
  WHERE s.branch IN (SELECT value FROM json_each(:f_branches)))

-- sessions --
{r}.session IN (SELECT s.id FROM sessions s WHERE EXISTS (SELECT 1 FROM json_each(:f_sessions) w
  WHERE substr(s.session_id, 1, length(w.value)) = w.value))

-- platforms --
{r}.session IN (SELECT s.id FROM sessions s
  WHERE s.platform IN (SELECT value FROM json_each(:f_platforms)))

-- start --
{r}.created_at >= :f_start

-- end --
{r}.created_at < :f_end
