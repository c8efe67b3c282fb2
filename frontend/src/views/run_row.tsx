/** One run of the list. */
import type { Run } from 'insight-host';
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
}

const TAIL = 14;

/** Runs differ at their ends more than at their beginnings: the end stays, the middle gives way. */
export function splitName(name: string): readonly [string, string] {
  const letters = [...name]; // never cuts an emoji in two
  return letters.length <= TAIL + 6 ? [name, ''] : [letters.slice(0, -TAIL).join(''), letters.slice(-TAIL).join('')];
}

const BADGES: Readonly<Record<string, 'MS' | 'TB'>> = { mindspore: 'MS', tensorboard: 'TB' };

export function RunRowView({ run, at, count, top, selected, active, onPress, onOnly }: Props) {
  const page = usePage();
  const t = page.t.value;
  const [head, tail] = splitName(run.name);
  return (
    <div
      id={`run-row-${at}`}
      class={`ih-run${active ? ' ih-active' : ''}`}
      role="option"
      aria-selected={selected}
      aria-posinset={at + 1}
      aria-setsize={count}
      style={{ transform: `translateY(${top}px)` }}
      title={run.name}
      data-run={run.name}
      onClick={(event) => onPress(run, event.shiftKey)}
      onDblClick={() => onOnly(run)}
    >
      <span class="ih-swatch" style={selected ? { background: run.color, borderColor: run.color } : { borderColor: run.color }} />
      <span class="ih-run-name">
        <span class="ih-run-head">{head}</span>
        {tail && <span class="ih-run-tail">{tail}</span>}
      </span>
      {run.loading && <span class="ih-run-loading" role="img" aria-label={t('runs.loading')} title={t('runs.loading')} />}
      <button
        type="button"
        class="ih-run-only"
        tabIndex={-1}
        title={t('runs.only.hint')}
        onClick={(event) => {
          event.stopPropagation();
          onOnly(run);
        }}
        onDblClick={(event) => event.stopPropagation()}
      >
        {t('runs.only')}
      </button>
      {run.damage > 0 && (
        <button
          type="button"
          class="ih-badge ih-badge-warn"
          tabIndex={-1}
          title={t('damage.badge', { count: run.damage })}
          aria-label={t('damage.badge', { count: run.damage })}
          onClick={(event) => {
            event.stopPropagation();
            page.dialog.value = { kind: 'damage', run: run.name };
          }}
        >
          {run.damage > 999 ? '999+' : run.damage}
        </button>
      )}
      {run.dialects.map((dialect) => (
        <span key={dialect} class="ih-badge" title={dialect in BADGES ? t(`dialect.${dialect as 'mindspore' | 'tensorboard'}`) : dialect}>
          {BADGES[dialect] ?? dialect.slice(0, 2).toUpperCase()}
        </span>
      ))}
    </div>
  );
}
