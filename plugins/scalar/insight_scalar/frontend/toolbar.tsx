import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Board, Setting } from './board';
import { clampSmoothing, MAX_SMOOTHING } from './codecs';
import { Button, Segments } from './icons';

const SETTLE = 120; // ms without a move of the slider before the server is asked
const TYPED = 300; // ms without a key

export function Toolbar({ board }: { readonly board: Board }): JSX.Element {
  const say = board.t.bind(board);
  const x = board.x.value;
  return (
    <div class="toolbar" role="toolbar" aria-label={say('toolbar')}>
      <input
        id="tag-filter"
        class={board.match.value.error ? 'filter bad' : 'filter'}
        type="search"
        data-control="tag-filter"
        aria-label={say('filter.label')}
        placeholder={say('filter.label')}
        title={board.match.value.error ?? say('filter.hint')}
        aria-invalid={board.match.value.error !== null}
        value={board.filter.value}
        onInput={(e) => board.filter.set(e.currentTarget.value)}
      />
      <span class="count" data-testid="tag-count">{say('filter.count', { shown: board.shownTags.value.length, count: board.runsByTag.value.size })}</span>
      <Segments name="x" label={say('x.label')} value={x} options={(['step', 'relative', 'wall'] as const).map((value) => ({ value, text: say(`x.${value}`) }))} onPick={(value) => board.setXKind(value)} />
      <Smoothing board={board} />
      <span class="cluster">
        <Toggle board={board} setting={board.logY} name="log-y" />
        <Toggle board={board} setting={board.logX} name="log-x" disabled={x === 'wall'} />
        <Toggle board={board} setting={board.outliers} name="outliers" />
        <Toggle board={board} setting={board.link} name="link" />
      </span>
      <span class="cluster">
        <Button action="tool-box" icon="box" label={say('tool.box')} pressed={board.tool.value === 'box'} onPress={() => board.tool.set('box')} />
        <Button action="tool-pan" icon="pan" label={say('tool.pan')} pressed={board.tool.value === 'pan'} onPress={() => board.tool.set('pan')} />
      </span>
      {board.hasRestarts.value && <Segments
        name="attempts"
        label={say('attempts.label')}
        value={board.attempts.value}
        options={(['last', 'all'] as const).map((value) => ({ value, text: say(`attempts.${value}`), title: say(`attempts.${value}.hint`) }))}
        onPick={(value) => board.attempts.set(value)}
      />}
      <Grouping board={board} />
      <Segments name="show" label={say('show.label')} value={board.layout.value} options={(['charts', 'table'] as const).map((value) => ({ value, text: say(`show.${value}`) }))} onPick={(value) => board.layout.set(value, 'push')} />
    </div>
  );
}

function Toggle({ board, setting, name, disabled = false }: { readonly board: Board; readonly setting: Setting<boolean>; readonly name: string; readonly disabled?: boolean }): JSX.Element {
  return <Button action={name} text={board.t(`${name}.short`)} label={board.t(`${name}.hint`)} pressed={setting.value} disabled={disabled} onPress={() => setting.set(!setting.value)} />;
}

function Smoothing({ board }: { readonly board: Board }): JSX.Element {
  const draft = useDraft(board.smoothing, SETTLE);
  const take = (text: string): void => draft.set(clampSmoothing(Number(text)));
  const label = board.t('smoothing');
  return (
    <label class="smoothing" title={board.t('smoothing.hint')}>
      <span>{label}</span>
      <input id="smoothing" type="range" min="0" max={MAX_SMOOTHING} step="0.001" data-control="smoothing" aria-label={label} value={draft.value} onInput={(e) => take(e.currentTarget.value)} />
      <input type="number" min="0" max={MAX_SMOOTHING} step="0.01" data-control="smoothing-number" aria-label={label} value={Number(draft.value.toFixed(3))} onChange={(e) => take(e.currentTarget.value)} />
    </label>
  );
}

function Grouping({ board }: { readonly board: Board }): JSX.Element {
  const say = board.t.bind(board);
  const draft = useDraft(board.group, TYPED);
  let valid = true;
  try {
    new RegExp(draft.value, 'u');
  } catch {
    valid = false;
  }
  return (
    <span class="cluster">
      <input
        class={valid ? 'filter group' : 'filter group bad'}
        type="search"
        data-control="group"
        aria-label={say('group.label')}
        aria-invalid={!valid}
        placeholder={say('group.label')}
        title={say('group.hint')}
        value={draft.value}
        onInput={(e) => draft.set(e.currentTarget.value)}
      />
      {board.group.value && (
        <Segments name="spread" label={say('spread.label')} value={board.spread.value} options={(['minmax', 'std'] as const).map((value) => ({ value, text: say(`spread.${value}`) }))} onPick={(value) => board.spread.set(value)} />
      )}
    </span>
  );
}

/** A setting that follows the hand at once and the board a little later. */
function useDraft<T>(setting: Setting<T>, wait: number): { readonly value: T; set(value: T): void } {
  const draft = useSignal(setting.value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    clearTimeout(timer.current);
    draft.value = setting.value;
  }, [setting.value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    value: draft.value,
    set(value) {
      draft.value = value;
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setting.set(value), wait);
    },
  };
}
