/** One run of the list. */
import { Icon } from '@insight-host/kit';
import type { Run } from '@insight-host/api';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { pickColor } from '../coloring/start';
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
  /** Opens or closes the rename input. */
  readonly onNaming: (run: Run | null) => void;
}

const TAIL = 14;
const LONGEST_NAME = 256;

/** Runs differ at their ends more than at their beginnings: the end stays, the middle gives way. */
export function splitName(name: string): readonly [string, string] {
  const letters = [...name]; // never cuts an emoji in two
  return letters.length <= TAIL + 6 ? [name, ''] : [letters.slice(0, -TAIL).join(''), letters.slice(-TAIL).join('')];
}

const BADGES: Readonly<Record<string, 'MS' | 'TB'>> = { mindspore: 'MS', tensorboard: 'TB' };

export function RunRowView({ run, at, count, top, selected, active, onPress, onOnly, naming, onNaming }: Props) {
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
      <RunLabel run={run} selected={selected} naming={naming} onNaming={onNaming} onOnly={onOnly} />
    </div>
  );
}

type LabelProps = Pick<Props, 'run' | 'selected' | 'naming' | 'onNaming' | 'onOnly'>;

/** Colour, name and badges of a run, and what can be done with it. */
export function RunLabel({ run, selected, naming, onNaming, onOnly }: LabelProps) {
  const page = usePage();
  const t = page.t.value;
  const [head, tail] = splitName(run.displayName);
  return (
    <>
      <span
        class="ih-swatch"
        style={selected ? { background: run.color, borderColor: run.color } : { borderColor: run.color }}
        onClick={(event) => {
          event.stopPropagation();
          pickColor(page, run.name, event.currentTarget);
        }}
      />
      {run.mark > 0 && <Icon name={`mark-${run.mark}`} />}
      {naming ? (
        <NameField run={run} onDone={() => onNaming(null)} />
      ) : (
        <span class={`ih-run-name${run.displayName === run.name ? '' : ' ih-given'}`}>
          <span class="ih-run-head">{head}</span>
          {tail && <span class="ih-run-tail">{tail}</span>}
        </span>
      )}
      {run.loading && (
        <span class="ih-run-loading" role="img" aria-label={t('runs.loading')} title={t('runs.loading')} />
      )}
      {!naming && page.session.annotations.writable.value && (
        <button
          type="button"
          class="ih-run-tool"
          data-action="rename"
          tabIndex={-1}
          title={t('runs.rename.hint')}
          aria-label={t('runs.rename.hint')}
          onClick={(event) => {
            event.stopPropagation();
            onNaming(run);
          }}
          onDblClick={(event) => event.stopPropagation()}
        >
          <Icon name="pencil" />
        </button>
      )}
      <button
        type="button"
        class="ih-run-tool"
        data-action="only"
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
      <button
        type="button"
        class="ih-run-tool"
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
      {run.dialects.map((dialect) => (
        <span
          key={dialect}
          class="ih-badge"
          title={dialect in BADGES ? t(`dialect.${dialect as 'mindspore' | 'tensorboard'}`) : dialect}
        >
          {BADGES[dialect] ?? dialect.slice(0, 2).toUpperCase()}
        </span>
      ))}
    </>
  );
}

/** The name on disk first, where the list shows another; then what was noted. */
function titleOf({ name, remark, note }: Run): string {
  return [name, remark, note].filter(Boolean).join('\n');
}

/** Enter keeps the name, Escape does not; an empty one gives the run its own name back. */
function NameField({ run, onDone }: { readonly run: Run; readonly onDone: () => void }) {
  const page = usePage();
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useLayoutEffect(() => field.current?.select(), []); // before the next key
  const end = (keep: boolean): void => {
    if (done.current || !field.current) return;
    done.current = true;
    onDone();
    const text = field.current.value.trim();
    const displayName = text === run.name ? '' : text;
    if (keep && (displayName || run.name) !== run.displayName) page.annotate(run.name, { displayName });
  };
  return (
    <input
      ref={field}
      class="ih-input ih-run-field"
      type="text"
      maxLength={LONGEST_NAME}
      spellcheck={false}
      autocomplete="off"
      placeholder={run.name}
      aria-label={page.t.value('runs.rename')}
      value={run.displayName}
      autofocus
      onClick={(event) => event.stopPropagation()}
      onDblClick={(event) => event.stopPropagation()}
      onBlur={() => end(true)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter' && !event.isComposing) end(true);
        if (event.key === 'Escape') end(false);
      }}
    />
  );
}
