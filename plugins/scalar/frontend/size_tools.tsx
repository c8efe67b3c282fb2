import { Button } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ScalarParts } from './board';
import { LEAST, MOST, USUAL, type CardSizes } from './card_size';
import { PopoverButton } from './popover_button';

const SLIDER = { width: 1600, height: MOST.height } as const; // pixels at the right end
const STEP = 20;

/** A button for the size of the cards. */
export function SizeTools({ board }: { readonly board: ScalarParts }): JSX.Element {
  const { t: say } = board.page;
  return (
    <PopoverButton action="card-size" icon="fit" label={say('size.open')} class="card-size">
      <Slider board={board} name="width" />
      <Slider board={board} name="height" />
      <Button
        action="usual-size"
        text={say('size.usual')}
        label={say('size.usual')}
        onPress={() => board.size.set(USUAL)}
      />
    </PopoverButton>
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
