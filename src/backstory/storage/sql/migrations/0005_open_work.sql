-- What matters however old it is: unfinished work and open trouble in more words.

DROP INDEX observations_that_matter;

CREATE INDEX observations_that_matter ON observations (project, created_at)
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

-- What was decided or saved by hand: no crowd of newer failures hides it.
CREATE INDEX observations_laid_down ON observations (project, created_at)
 WHERE tainted = 0 AND superseded_by IS NULL AND (type = 'decision' OR distilled_by = 'user');
