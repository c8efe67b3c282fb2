/** The list of findings, and which rules were checked. */
import type { Reason } from '@insight-host/api';
import { Icon, type IconName } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { FindingsBoard } from './board';
import { Highlights } from './highlights';
import { keyOf, open, textOf, type Finding, type Severity } from './findings';

const ICONS: Readonly<Record<Severity, IconName>> = { error: 'error', warning: 'warn', info: 'info' };

export function FindingsList({ board }: { readonly board: FindingsBoard }): JSX.Element {
  const { page } = board;
  const { t: say } = page;
  const [runs, checked] = [page.runs.value.length, board.checked.value.length];
  const findings = board.findings.value;
  const isDone = checked === runs;
  const count = findings.length;
  return (
    <div class="kit findings" data-ready={isDone || board.failure.value !== '' ? '' : undefined}>
      {board.failure.value && <p role="alert">{say('failure', { reason: board.failure.value })}</p>}
      <Highlights board={board} />
      <p class="hint" role="status">
        {runs === 0
          ? say('no_runs')
          : isDone
            ? say(count === 0 ? 'nothing' : 'found', {
                count,
                rules: say('rules', { count: board.checkedRules.value.size }),
                runs: say('runs', { count: runs }),
              })
            : say('checking', { checked, total: runs })}
        {isDone && board.pending.value > 0 && ` ${say('pending', { count: board.pending.value })}`}
      </p>
      <ul class="list">
        {findings.map((finding, place) => (
          <Row key={`${keyOf(finding)} ${finding.run} ${place}`} board={board} finding={finding} />
        ))}
      </ul>
      <Rules board={board} />
    </div>
  );
}

function Row({ board, finding }: { readonly board: FindingsBoard; readonly finding: Finding }): JSX.Element {
  const { page } = board;
  const { t: say, locale } = page;
  const text = (reason: Reason): string => textOf(page.ctx, board.messages.value, reason);
  const { run, severity, place, saves } = finding;
  const canOpen = page.tabs.value.includes(place.plugin);
  const share = new Intl.NumberFormat(locale.value, { style: 'percent', maximumFractionDigits: 0 });
  return (
    <li data-finding={finding.rule} data-severity={severity} data-card-run={run}>
      <span class="severity">
        <Icon name={ICONS[severity]} /> {say(`severity.${severity}`)}
      </span>
      <span class="run" data-hover-run={run}>
        <span class="colour" style={{ background: page.colorOf(run) }} /> {page.nameOf(run)}
      </span>
      <strong>{text(finding.saw)}</strong>
      <dl>
        <dt>{say('why')}</dt>
        <dd>{text(finding.why)}</dd>
        <dt>{say('change')}</dt>
        <dd>
          {text(finding.change)}
          {saves !== null && <span class="saves"> {say('saves', { share: share.format(saves) })}</span>}
        </dd>
      </dl>
      {canOpen && (
        <button type="button" class="ih-button" data-action="open-finding" onClick={() => open(page.ctx, finding)}>
          {place.tag === ''
            ? say('open')
            : place.steps === null
              ? say('open.tag', { tag: place.tag })
              : say('open.step', { tag: place.tag, step: place.steps[0] })}
        </button>
      )}
    </li>
  );
}

function Rules({ board }: { readonly board: FindingsBoard }): JSX.Element | null {
  const { page } = board;
  const { t: say } = page;
  const text = (reason: Reason): string => textOf(page.ctx, board.messages.value, reason);
  const rules = board.rules.value;
  if (rules.size === 0) return null;
  const title = (key: string): string => {
    const rule = rules.get(key);
    return rule ? text(rule.title) : key;
  };
  return (
    <details class="rules" open={board.unchecked.value.some(({ one }) => one.failed)}>
      <summary>{say('rules.title')}</summary>
      <ul>
        {[...board.checkedRules.value].map((key) => (
          <li key={key} data-rule={key}>
            <Icon name="check" />
            <span>{title(key)}</span>
          </li>
        ))}
        {board.unchecked.value.map(({ one, count }) => (
          <li key={`${keyOf(one)} ${one.reason.error}`} data-rule={keyOf(one)} class={one.failed ? 'failed' : 'left'}>
            <Icon name={one.failed ? 'error' : 'close'} />
            <span>
              {say(one.failed ? 'rule.failed' : 'rule.unchecked', {
                title: title(keyOf(one)),
                reason: text(one.reason),
                runs: say('runs', { count }),
              })}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
