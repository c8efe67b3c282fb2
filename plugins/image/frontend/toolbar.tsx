import { AttemptsChoice, Button, Range, type CardKey, type Setting } from '@insight-host/kit';
import { LinkSteps, TimeChoice } from '@insight-host/kit/steps';
import { computed } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ImageParts } from './board';
import { MOST_LIGHT, type Light } from './light';
import { ACTUAL } from './viewport';

const ICONS = {
  actual: 'M2.6 5.4 4.4 4v8M8 6.3v.1M8 9.7v.1M11.2 5.4 13 4v8',
  contrast: 'M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM8 2v12M8 5h4.8M8 8h6M8 11h4.8',
} as const;

/** Icons that only this tab has. */
export function OwnIcon({ name }: { readonly name: keyof typeof ICONS }): JSX.Element {
  return (
    <svg class="ih-icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}

export function Tools({ board }: { readonly board: ImageParts }): JSX.Element {
  const { t: say } = board.page;
  return (
    <>
      <TimeChoice page={board.page} setting={board.time} />
      {(['brightness', 'contrast'] as const).map((name) => (
        <Range
          key={name}
          name={name}
          label={say(name)}
          hint={say(`${name}.hint`)}
          setting={board.lights[name]}
          low={0}
          high={MOST_LIGHT}
          step={1}
          digits={0}
        />
      ))}
      <Button
        action="light-reset-all"
        icon="reset"
        label={say('light.reset')}
        disabled={board.lights.isPlain.value}
        onPress={() => board.lights.reset()}
      />
      <LinkSteps board={board} />
      {board.hasRestarts.value && <AttemptsChoice page={board.page} setting={board.attempts} />}
    </>
  );
}

/** Between a picture that fits its place and one that has a pixel of the screen for each of its own. */
export function ActualSize({ board, card }: { readonly board: ImageParts; readonly card: CardKey }): JSX.Element {
  const zoom = board.zooms.of(card);
  return (
    <Button
      action="actual"
      icon={<OwnIcon name="actual" />}
      label={board.page.t(zoom ? 'zoom.fit' : 'zoom.actual')}
      pressed={zoom !== null}
      onPress={() => board.zooms.set(card, zoom ? null : ACTUAL)}
    />
  );
}

interface LightPanelProps {
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
