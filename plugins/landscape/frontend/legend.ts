import { textWidth, type Mark, type Picture } from './marks';
import { circle, type Item, type Look } from './plan';
import { frontFirst } from './plan_lines';
import { css, rampColor } from './ramps';

const LINE = 18; // pixels
const LEFT = 12;
const SIGN = 16; // pixels of a dot and what is next to it
const SWATCHES = 4; // of the colour map
const GAP = 14;

/** Above a picture in a file: which run has which colour, the one with the colour map first. */
export function legendPicture(items: readonly Item[], look: Look, width: number): Picture {
  const marks: Mark[] = [];
  let [left, top] = [LEFT, 4];
  for (const { run, name, color } of frontFirst(items, look.front)) {
    const room = SIGN + textWidth(name) + GAP;
    if (left > LEFT && left + room > width) [left, top] = [LEFT, top + LINE];
    const middle = top + LINE / 2;
    if (run === look.front)
      for (let n = 0; n < SWATCHES; n++)
        marks.push({
          kind: 'path',
          d: `M${left + 3 * n},${middle - 4}h3v8h-3Z`,
          fill: css(rampColor(look.ramp, n / (SWATCHES - 1))),
        });
    else marks.push({ kind: 'path', d: circle(left + 6, middle, 4), fill: color });
    marks.push({ kind: 'text', x: left + SIGN, y: middle, text: name, color: look.ink.text, anchor: 'start' });
    left += room;
  }
  return { width, height: top + LINE + 2, marks };
}
