/** One entry: what is wrong, what the runs share, one action, and the evidence. */
import type { Reason } from '@insight-host/api';
import { Icon, Menu, type IconName, type MenuItem } from '@insight-host/kit';
import type { JSX } from 'preact';
import { textOf, type Condition, type Finding, type Saving, type Severity } from './answer';
import { filterTo, open, seenIn, type Entry } from './entries';
import { Picture } from './evidence';
import type { FindingsBoard } from './findings';

const ICONS: Readonly<Record<Severity, IconName>> = { error: 'error', warning: 'warn', hint: 'info', good: 'check' };
const MOST = 60; // runs of a strip

interface Props {
  readonly board: FindingsBoard;
  readonly entry: Entry;
  readonly isDismissed?: boolean;
}

export function EntryCard({ board, entry, isDismissed = false }: Props): JSX.Element {
  const { page } = board;
  const { t: say } = page;
  const { head, also } = entry;
  const seen = seenIn(entry);
  const text = (reason: Reason): string => textOf(page.ctx, board.messages.value, reason);
  const { severity, shared } = head;
  return (
    <li class="entry" data-finding={head.rule} data-severity={severity} data-card-run={head.runs[0]}>
      <span class="severity" role="img" aria-label={say(`severity.${severity}`)}>
        <Icon name={ICONS[severity]} />
      </span>
      <div class="what">
        <h3>{text(head.title)}</h3>
        <p class="saw">
          <Runs board={board} runs={seen.runs} /> {text(seen.saw)}
        </p>
        {also.map((one, at) => (
          <p key={at} class="also">
            {(one.each.length > 0 || one.rule !== head.rule) && `${text(one.title)}. `}
            <Runs board={board} runs={(one.each[0] ?? one).runs} /> {text((one.each[0] ?? one).saw)}
          </p>
        ))}
        {shared.length > 0 && <Shared board={board} shared={shared} />}
        {head.each.length > 1 && <Each board={board} parts={head.each} />}
        <Actions board={board} entry={entry} isDismissed={isDismissed} />
      </div>
      <Picture board={board} entry={entry} />
    </li>
  );
}

/** The one action, and a menu of others. */
function Actions({ board, entry, isDismissed = false }: Props): JSX.Element {
  const { page, dismissed } = board;
  const { t: say, ctx } = page;
  const { head } = entry;
  const { change, confidence, saves } = head;
  const [worst] = head.each;
  const text = (reason: Reason): string => textOf(ctx, board.messages.value, reason);
  const first = worst && head.runs.length === 1 ? worst : head;
  const leads = ({ place }: Finding): boolean => place.plugin !== ctx.name && page.tabs.value.includes(place.plugin);
  const back = say('back', { title: text(head.title) });
  const items = (): readonly MenuItem[] => [
    ...(worst && first !== worst && leads(worst)
      ? [{ action: 'open-worst', text: actionText(board, worst), onPress: () => open(ctx, worst, back) }]
      : []),
    ...(leads(first)
      ? [{ action: 'filter-runs', text: say('filter'), onPress: () => filterTo(ctx, { ...head, runs: entry.runs }) }]
      : []),
    { action: 'copy-finding', text: say('copy'), onPress: () => copy(board, entry) },
    ...(ctx.isSnapshot || isDismissed
      ? []
      : [{ action: 'dismiss', text: say('dismiss'), onPress: () => void dismissed.dismiss(entry) }]),
  ];
  return (
    <div class="actions">
      {isDismissed ? (
        <button
          type="button"
          class="ih-button"
          data-action="restore"
          disabled={!dismissed.canRestore(entry)}
          title={dismissed.canRestore(entry) ? undefined : say('restore.not')}
          onClick={() => void dismissed.restore(entry)}
        >
          {say('restore')}
        </button>
      ) : leads(first) ? (
        <button type="button" class="ih-button" data-action="open-finding" onClick={() => open(ctx, first, back)}>
          {actionText(board, first)}
        </button>
      ) : (
        entry.runs.length > 0 && (
          <button
            type="button"
            class="ih-button"
            data-action="filter-runs"
            onClick={() => filterTo(ctx, { ...head, runs: entry.runs })}
          >
            {say('filter')}
          </button>
        )
      )}
      <Menu action="more" icon="more" label={say('more')} items={items} />
      {change !== null && (
        <p class="change">
          {say(confidence === 'suspected' ? 'change.suspected' : 'change', { change: text(change) })}
          {saves !== null && <span class="saves"> {savingText(board, saves)}</span>}
        </p>
      )}
    </div>
  );
}

/** What the button that opens the place of a finding says. */
function actionText({ page }: FindingsBoard, { each, runs, place }: Finding): string {
  const { t: say } = page;
  if (each.length > 0 && runs.length > 1) return say('open.runs', { count: runs.length });
  if (place.steps !== null) return say('open.step', { step: place.steps[0] });
  if (place.state['view'] === 'timeline') return say('open.timeline');
  return say('open');
}

function copy(board: FindingsBoard, entry: Entry): void {
  const { page } = board;
  const text = (reason: Reason): string => textOf(page.ctx, board.messages.value, reason);
  const { title, change, shared } = entry.head;
  const seen = seenIn(entry);
  const lines = [
    text(title),
    `${seen.runs.length === 1 ? `${seen.runs[0]}: ` : ''}${text(seen.saw)}`,
    ...shared.map((one) => conditionText(board, one)),
    ...(change ? [text(change)] : []),
    entry.runs.join(', '),
  ];
  navigator.clipboard.writeText(lines.join('\n')).then(
    () => page.ctx.notify('info', page.t('copied')),
    (cause: unknown) => page.ctx.notify('error', String(cause)),
  );
}

/** The name of one run, or a strip with the colours of several. */
function Runs({ board, runs }: { readonly board: FindingsBoard; readonly runs: readonly string[] }): JSX.Element {
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
      {runs.length === 1 && run !== undefined && page.nameOf(run)}
    </span>
  );
}

/** Each finding of several runs, on demand. */
function Each({ board, parts }: { readonly board: FindingsBoard; readonly parts: readonly Finding[] }): JSX.Element {
  const { page } = board;
  return (
    <details class="each">
      <summary>{page.t('each', { count: parts.length })}</summary>
      <ul>
        {parts.map((part, at) => (
          <li key={`${part.runs[0] ?? ''} ${at}`} data-part={part.runs[0]}>
            <Runs board={board} runs={part.runs} /> {textOf(page.ctx, board.messages.value, part.saw)}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** What only these runs have, as chips; several: the runs do not show which is the cause. */
function Shared({ board, shared }: { readonly board: FindingsBoard; readonly shared: readonly Condition[] }) {
  return (
    <p class="shared">
      {shared.map((one, at) => (
        <>
          {at > 0 && <span>{board.page.t('or')}</span>}
          <span class="chip">{conditionText(board, one)}</span>
        </>
      ))}
    </p>
  );
}

/** As `insight-host diagnose` says it. */
function conditionText({ page }: FindingsBoard, one: Condition): string {
  const { text, having, of, others_having, others } = one;
  return having === of && others_having === 0
    ? page.t('shared', { text })
    : page.t('shared.mostly', { text, having, of, also: others_having, others });
}

function savingText(board: FindingsBoard, { low, high, of, assumes }: Saving): string {
  const { page } = board;
  const whole = new Intl.NumberFormat(page.locale.value, { maximumFractionDigits: 0 });
  const ends = [whole.format(100 * low), whole.format(100 * high)];
  const share = ends[0] === ends[1] ? `${ends[0]} %` : page.t('range', { low: ends[0] ?? '', high: ends[1] ?? '' });
  const saves = page.t(`saves.${of}`, { share });
  if (assumes === null) return saves;
  const rests = textOf(page.ctx, board.messages.value, assumes);
  return `${saves} ${rests.charAt(0).toUpperCase()}${rests.slice(1)}${page.t('end')}`;
}
