import { Range, type CardKey, type Setting } from '@insight-host/kit';
import { computed } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ImageParts } from './board';
import { MOST_LIGHT, type Light } from './light';

export interface LightPanelProps {
  readonly board: ImageParts;
  readonly card: CardKey;
}

/** Brightness and contrast of one card. */
export function LightPanel({ board, card }: LightPanelProps): JSX.Element {
  const settings = useMemo(() => {
    const one = (name: keyof Light): Setting<number> =>
      Object.assign(
        computed(() => board.lights.of(card)[name]),
        { set: (value: number) => board.lights.set(card, { ...board.lights.of(card), [name]: Math.round(value) }) },
      );
    return { brightness: one('brightness'), contrast: one('contrast') };
  }, [board, card]);
  return (
    <div class="light" data-testid="light">
      {(['brightness', 'contrast'] as const).map((name) => (
        <Range
          key={name}
          name={`card-${name}`}
          label={board.page.t(name)}
          setting={settings[name]}
          low={0}
          high={MOST_LIGHT}
          step={1}
          digits={0}
        />
      ))}
      <button
        type="button"
        data-action="light-reset"
        disabled={!board.lights.hasOwn(card)}
        onClick={() => board.lights.set(card, null)}
      >
        {board.page.t('light.as_all')}
      </button>
    </div>
  );
}
