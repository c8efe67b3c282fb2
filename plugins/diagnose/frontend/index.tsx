import type { Reason } from '@insight-host/api';
import { Icon, tab, type IconName } from '@insight-host/kit';
import type { JSX } from 'preact';
import styles from './diagnose.css?inline';
import {
  FindingsBoard,
  keyOf,
  open,
  textOf,
  type Condition,
  type Finding,
  type Saving,
  type Severity,
} from './findings';
import en from '../insight_diagnose/locales/en.json';
import zh from '../insight_diagnose/locales/zh-CN.json';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles,
  board: (page) => new FindingsBoard(page),
  view: (board) => <FindingsList board={board} />,
  keys: () => [],
});

const ICONS: Readonly<Record<Severity, IconName>> = { error: 'error', warning: 'warn', hint: 'info', good: 'check' };
const MOST = 60; // runs of a strip

interface Props {
  readonly board: FindingsBoard;
}

/** The list of findings, and which rules were checked. */
function FindingsList({ board }: Props): JSX.Element {
  const { page } = board;
  const { t: say } = page;
  const findings = board.findings.value;
  const only = board.only.value;
  const isDone = board.isKnown.value && board.left.value === 0;
  return (
    <div class="kit findings" data-ready={isDone || board.failure.value !== '' ? '' : undefined}>
      {board.failure.value && <p role="alert">{say('failure', { reason: board.failure.value })}</p>}
      <p class="hint" role="status">
        {status(board)}
        {isDone && board.pending.value > 0 && ` ${say('pending', { count: board.pending.value })}`}
        {only !== '' && (
          <button type="button" class="ih-button ih-small" onClick={() => board.only.set('')}>
            {say('only', { run: page.nameOf(only) })}
          </button>
        )}
      </p>
      <ul class="list">
        {findings.map((finding, place) => (
          <Row key={`${keyOf(finding)} ${finding.runs[0] ?? ''} ${place}`} board={board} finding={finding} />
        ))}
      </ul>
      <Rules board={board} />
    </div>
  );
}

function status(board: FindingsBoard): string {
  const { t: say, ctx } = board.page;
  const runs = board.runs.value;
  if (ctx.runs.shown.value.length === 0) return say('no_runs');
  if (!board.isKnown.value) return say('checking', { checked: 0, total: ctx.runs.shown.value.length });
  if (board.left.value > 0) return say('checking', { checked: runs - board.left.value, total: runs });
  const count = board.findings.value.filter(({ severity }) => severity !== 'good').length;
  return say(count === 0 ? 'nothing' : 'found', {
    count,
    rules: say('rules', { count: board.checked.value.length }),
    runs: say('runs', { count: runs }),
  });
}

function Row({ board, finding }: Props & { readonly finding: Finding }): JSX.Element {
  const { page } = board;
  const { t: say } = page;
  const text = (reason: Reason): string => textOf(page.ctx, board.messages.value, reason);
  const { severity, place, saves, each, shared, change, confidence } = finding;
  const canOpen = place.plugin !== page.ctx.name && page.tabs.value.includes(place.plugin);
  return (
    <li data-finding={finding.rule} data-severity={severity} data-card-run={finding.runs[0]}>
      <span class="severity">
        <Icon name={ICONS[severity]} /> {say(`severity.${severity}`)}
      </span>
      <Runs board={board} runs={finding.runs} />
      <strong>{text(finding.saw)}</strong>
      <dl>
        {shared.length > 0 && (
          <>
            <dt>{say('shared')}</dt>
            <dd class="shared">{shared.map((one) => conditionText(board, one)).join(say('or'))}</dd>
          </>
        )}
        {change !== null && (
          <>
            <dt>{say(confidence === 'suspected' ? 'change.suspected' : 'change')}</dt>
            <dd>
              {text(change)}
              {saves !== null && <span class="saves"> {savingText(board, saves)}</span>}
            </dd>
          </>
        )}
      </dl>
      {each.length > 0 && (
        <details class="each">
          <summary>{say('each', { count: each.length })}</summary>
          <ul>
            {each.map((part, at) => (
              <li key={`${part.runs[0] ?? ''} ${at}`} data-part={part.runs[0]}>
                <Runs board={board} runs={part.runs} /> {text(part.saw)}
              </li>
            ))}
          </ul>
        </details>
      )}
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

/** The name of one run, or a strip with the colours of several. */
function Runs({ board, runs }: Props & { readonly runs: readonly string[] }): JSX.Element {
  const { page } = board;
  const [run] = runs;
  return (
    <span class="run" data-hover-run={runs.length === 1 ? run : undefined}>
      {runs.slice(0, MOST).map((name) => (
        <span
          key={name}
          class="colour"
          title={page.nameOf(name)}
          data-hover-run={name}
          style={{ background: page.colorOf(name) }}
        />
      ))}{' '}
      {runs.length > 1 ? page.t('runs', { count: runs.length }) : run !== undefined && page.nameOf(run)}
    </span>
  );
}

function conditionText({ page }: FindingsBoard, one: Condition): string {
  const { text, having, of, others_having, others } = one;
  return having === of && others_having === 0
    ? text
    : page.t('shared.mostly', { text, having, of, also: others_having, others });
}

function savingText(board: FindingsBoard, { low, high, of, assumes }: Saving): string {
  const { page } = board;
  const percent = new Intl.NumberFormat(page.locale.value, { style: 'percent', maximumFractionDigits: 0 });
  const share = low === high ? percent.format(high) : percent.formatRange(low, high);
  const saves = page.t(`saves.${of}`, { share });
  return assumes === null ? saves : `${saves} ${textOf(page.ctx, board.messages.value, assumes)}`;
}

function Rules({ board }: Props): JSX.Element | null {
  const { page } = board;
  const { t: say } = page;
  const text = (reason: Reason): string => textOf(page.ctx, board.messages.value, reason);
  if (!board.isKnown.value) return null;
  const unchecked = board.unchecked.value;
  return (
    <details class="rules" open={unchecked.some(({ failed }) => failed)}>
      <summary>{say('rules.title')}</summary>
      <ul>
        {board.checked.value.map(({ plugin, id, title }) => (
          <li key={`${plugin}/${id}`} data-rule={`${plugin}/${id}`}>
            <Icon name="check" />
            <span>{text(title)}</span>
          </li>
        ))}
        {unchecked.map((one) => (
          <li key={`${keyOf(one)} ${one.reason.error}`} data-rule={keyOf(one)} class={one.failed ? 'failed' : 'left'}>
            <Icon name={one.failed ? 'error' : 'close'} />
            <span>
              {say(one.failed ? 'rule.failed' : 'rule.unchecked', {
                title: text(board.titleOf(one.plugin, one.rule)?.title ?? { error: one.rule }),
                reason: text(one.reason),
                runs: say('runs', { count: one.runs.length }),
              })}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
