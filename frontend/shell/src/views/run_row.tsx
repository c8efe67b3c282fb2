/** One run of the list. */
import { Icon } from '@insight-host/kit';
import { splitName } from '@insight-host/kit/lab';
import type { Run } from '@insight-host/api';
import { usePage } from '../state/page';

interface Props {
  readonly run: Run;
  readonly at: number;
  readonly count: number;
  readonly top: number;
  readonly selected: boolean;
  readonly active: boolean;
  readonly onPress: (run: Run, range: boolean) => void;
  readonly onOnly: (run: Run) => void;
  readonly naming: boolean;
  /** The rename input has closed. */
  readonly onNamed?: () => void;
  /** The list chooses one run. */
  readonly radio?: boolean;
}

const SAMPLE = 14; // pixels, the width of a swatch

const BADGES: Readonly<Record<string, 'MS' | 'TB'>> = { mindspore: 'MS', tensorboard: 'TB' };

export function RunRowView(props: Props) {
  const { run, at, count, top, selected, active, onPress, onOnly } = props;
  return (
    <div
      id={`run-row-${at}`}
      class={`ih-run${active ? ' ih-active' : ''}${run.archived ? ' ih-archived' : ''}`}
      role="option"
      aria-selected={selected}
      aria-posinset={at + 1}
      aria-setsize={count}
      style={{ transform: `translateY(${top}px)` }}
      title={titleOf(run)}
      data-run={run.name}
      data-hover-run={run.name}
      onClick={(event) => onPress(run, event.shiftKey)}
      onDblClick={() => onOnly(run)}
    >
      <span class={`ih-tick${props.radio ? ' ih-radio' : ''}`} aria-hidden="true" />
      <RunLabel {...props} />
    </div>
  );
}

type LabelProps = Pick<Props, 'run' | 'selected' | 'naming' | 'onNamed'>;

/** A sample that shows colour and dash; hollow while it is not drawn. */
export function swatchOf({ color, dash }: Pick<Run, 'color' | 'dash'>, isDrawn: boolean): Record<string, string> {
  if (!isDrawn) return { borderColor: color };
  if (dash.length === 0) return { borderColor: color, background: color };
  const length = dash.reduce((sum, part) => sum + part, 0);
  const scale = SAMPLE / length / (dash.length > 2 ? 1 : 2);
  let at = 0;
  const stops = dash.map((part, place) => {
    const from = at;
    at += part * scale;
    return `${place % 2 ? '#0000' : color} ${from}px ${at}px`;
  });
  return { borderColor: 'transparent', background: `repeating-linear-gradient(90deg, ${stops.join()}) border-box` };
}

/** Colour, name and badges of a run, and what can be done with it. */
export function RunLabel({ run, selected, naming, onNamed }: LabelProps) {
  const page = usePage();
  const t = page.t.value;
  const [head, tail] = splitName(run.displayName);
  const NameField = page.nameField.value;
  const metric = page.tableOpen.value ? null : page.runs.metric.value;
  return (
    <>
      <span
        class="ih-swatch"
        style={swatchOf(run, selected)}
        onClick={(event) => {
          event.stopPropagation();
          page.pickColor(run.name, event.currentTarget);
        }}
      />
      {run.mark > 0 && <Icon name={`mark-${run.mark}`} />}
      {naming && NameField ? (
        <NameField run={run} onDone={() => onNamed?.()} />
      ) : (
        <span class={`ih-run-name${run.displayName === run.name ? '' : ' ih-given'}`}>
          <span class="ih-run-head">{head}</span>
          {tail && <span class="ih-run-tail">{tail}</span>}
        </span>
      )}
      {run.loading && (
        <span class="ih-run-loading" role="img" aria-label={t('runs.loading')} title={t('runs.loading')} />
      )}
      {run.damage > 0 && (
        // no button: an option holds no other control, and the footer leads there by keyboard
        <span
          class="ih-badge ih-badge-warn"
          title={t('damage.badge', { count: run.damage })}
          onClick={(event) => {
            event.stopPropagation();
            page.dialog.value = { kind: 'damage', run: run.name };
          }}
        >
          {run.damage > 999 ? '999+' : run.damage}
        </span>
      )}
      {page.hasDialects.value &&
        run.dialects.map((dialect) => (
          <span
            key={dialect}
            class="ih-badge"
            title={dialect in BADGES ? t(`dialect.${dialect as 'mindspore' | 'tensorboard'}`) : dialect}
          >
            {BADGES[dialect] ?? dialect.slice(0, 2).toUpperCase()}
          </span>
        ))}
      {metric && <metric.Beside run={run} />}
      <button
        type="button"
        class={`ih-run-tool${metric ? ' ih-over' : ''}`}
        data-action="run-menu"
        tabIndex={-1}
        title={t('runs.menu')}
        aria-label={t('runs.menu')}
        aria-haspopup="menu"
        onClick={(event) => {
          event.stopPropagation();
          page.dialog.value = { kind: 'run', run, anchor: event.currentTarget };
        }}
        onDblClick={(event) => event.stopPropagation()}
      >
        <Icon name="more" />
      </button>
    </>
  );
}

/** The name on disk first, where the list shows another; then what was noted. */
function titleOf({ name, remark, note }: Run): string {
  return [name, remark, note].filter(Boolean).join('\n');
}
