/** What the colours mean. */
import type { JSX } from 'preact';
import type { HeatMap } from './answer';
import { badColor, type CellColors } from './colors';
import type { Scale } from './scale';
import { numberText } from './words';

interface LegendProps {
  readonly map: HeatMap;
  readonly scale: Scale;
  readonly colors: CellColors;
  readonly locale: string;
  readonly say: (key: string) => string;
}

export function Legend({ map, scale, colors, locale, say }: LegendProps): JSX.Element {
  const [low, middle, high] = scale.ends.map((value) => numberText(map.measure, value, locale));
  return (
    <div class="legend" data-testid="legend">
      <span>{say(`measure.${map.measure}`)}</span>
      <span class="ramp">
        <span class="bar" style={{ background: colors.gradient }} />
        <span class="ends">
          <span>{low}</span>
          <span>{middle}</span>
          <span>{high}</span>
        </span>
      </span>
      <span class="key">
        <span class="swatch" style={{ background: badColor(colors) }} /> {say('legend.bad')}
      </span>
      <span class="key">
        <span class="swatch none" /> {say('legend.none')}
      </span>
    </div>
  );
}
