import { useSignal } from '@preact/signals';
import { Button, Popover } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { ScalarParts } from './board';
import { LEAST, MOST, USUAL, type CardSizes } from './card_size';

const SLIDER = { width: 1600, height: MOST.height } as const; // pixels at the right end
const STEP = 20;

/** A button for the size of the cards. */
export function SizeTools({ board }: { readonly board: ScalarParts }): JSX.Element {
  const { t: say } = board.page;
  const open = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <Button
        action="card-size"
        icon="fit"
        label={say('size.open')}
        expanded={open.value}
        opens="dialog"
        element={button}
        onPress={() => (open.value = !open.value)}
      />
      {open.value && (
        <Popover
          anchor={button}
          class="card-size"
          role="dialog"
          label={say('size.open')}
          side="below-left"
          onClose={() => (open.value = false)}
        >
          <Slider board={board} name="width" />
          <Slider board={board} name="height" />
          <Button
            action="usual-size"
            text={say('size.usual')}
            label={say('size.usual')}
            onPress={() => board.size.set(USUAL)}
          />
        </Popover>
      )}
    </>
  );
}

function Slider({ board, name }: { readonly board: ScalarParts; readonly name: keyof CardSizes }): JSX.Element {
  const text = board.page.t(`size.${name}`);
  const { value } = board.size.setting;
  return (
    <label>
      <span>{text}</span>
      <input
        type="range"
        name={`card-${name}`}
        min={LEAST[name]}
        max={SLIDER[name]}
        step={STEP}
        value={Math.min(SLIDER[name], value[name])}
        aria-valuetext={board.page.t('size.pixels', { count: value[name] })}
        onInput={({ currentTarget }) => board.size.set({ [name]: Number(currentTarget.value) })}
      />
    </label>
  );
}
