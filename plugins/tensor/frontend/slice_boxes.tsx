import { useSignal } from '@preact/signals';
import { Button } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { TensorParts } from './board';
import type { Sheet } from './blocks';
import { defaultItems, itemsOf, parseSlice, SliceError } from './slices';

interface SliceBoxesProps {
  readonly board: TensorParts;
  readonly sheet: Sheet;
  /** The slice that was set; "" is the default. */
  readonly slice: string;
  readonly onApply: (slice: string) => void;
}

/** A box for each dimension; Enter or the tick applies what they say. */
export function SliceBoxes({ board, sheet, slice, onApply }: SliceBoxesProps): JSX.Element | null {
  const { shape } = sheet;
  const { t: say } = board.page;
  const applied = itemsOf(sheet.slice, shape.length);
  const draft = useSignal<readonly string[] | null>(null);
  const items = draft.value?.length === shape.length ? draft.value : applied;
  useEffect(() => {
    draft.value = null;
  }, [slice, shape.length]);
  if (shape.length === 0) return null;
  const refusal = draft.value ? refusalOf(items, shape) : null;
  const problem =
    refusal &&
    say(`slice.error.${refusal.reason}`, {
      dimension: refusal.dimension,
      size: shape[refusal.dimension] ?? 0,
      last: (shape[refusal.dimension] ?? 0) - 1,
    });
  const apply = (): void => {
    if (refusal) return;
    const isDefault = items.every((item, i) => item === defaultItems(shape.length)[i]);
    draft.value = null;
    onApply(isDefault ? '' : items.join(','));
  };
  const isPlain = applied.every((item, i) => item === defaultItems(shape.length)[i]) && draft.value === null;
  return (
    <div
      class="slice"
      role="group"
      aria-label={say('slice.hint')}
      data-testid="slice"
      title={problem ?? say('slice.hint')}
    >
      <span class="bracket">[</span>
      {items.map((item, dimension) => (
        <input
          key={dimension}
          type="text"
          data-control={`slice-${dimension}`}
          aria-label={say('slice.dimension', { dimension, size: shape[dimension] ?? 0 })}
          title={problem ?? say('slice.dimension', { dimension, size: shape[dimension] ?? 0 })}
          aria-invalid={refusal !== null && (refusal.dimension === dimension || refusal.dimension < 0)}
          spellcheck={false}
          autocomplete="off"
          value={item}
          onInput={(event) =>
            (draft.value = items.map((other, i) => (i === dimension ? event.currentTarget.value : other)))
          }
          onKeyDown={(event) => {
            if (event.key === 'Enter') apply();
            else if (event.key === 'Escape' && draft.value !== null) draft.value = null;
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
      ))}
      <span class="bracket">]</span>
      <Button
        action="slice-apply"
        icon="check"
        label={say('slice.apply')}
        disabled={draft.value === null || refusal !== null}
        onPress={apply}
      />
      {!isPlain && (
        <Button
          action="slice-reset"
          icon="reset"
          label={say('slice.reset')}
          onPress={() => ((draft.value = null), onApply(''))}
        />
      )}
      {problem && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}

function refusalOf(items: readonly string[], shape: readonly number[]): SliceError | null {
  try {
    // a comma within a box does not separate dimensions
    parseSlice(items.map((item) => item.replaceAll(',', ';')).join(','), shape);
    return null;
  } catch (error) {
    return error instanceof SliceError ? error : null;
  }
}
