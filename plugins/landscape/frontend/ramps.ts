/**
 * Colours of losses, from the smallest to the largest: a few stops, even in lightness, between which is interpolated.
 */
export const RAMPS = {
  viridis: ['#440154', '#472c7a', '#3b518b', '#2c718e', '#21908d', '#27ad81', '#5cc863', '#aadc32', '#fde725'],
  magma: ['#000004', '#1d1147', '#51127c', '#832681', '#b73779', '#e75263', '#fc8961', '#fec488', '#fcfdbf'],
  cividis: [
    '#00204d',
    '#00336f',
    '#39486b',
    '#575d6d',
    '#707173',
    '#8a8779',
    '#a69d75',
    '#c4b56c',
    '#e4cf5b',
    '#ffea46',
  ],
  coolwarm: ['#3b4cc0', '#6788ee', '#9abbff', '#c9d7f0', '#edd1c2', '#f7a889', '#e26952', '#b40426'],
  turbo: ['#30123b', '#4662d8', '#36aaf9', '#1ae4b6', '#72fe5e', '#c8ef34', '#fabb39', '#f66b19', '#cb2a04', '#7a0403'],
  gray: ['#151515', '#f2f2f2'],
} as const;

export type RampName = keyof typeof RAMPS;
export const RAMP_NAMES = Object.keys(RAMPS) as readonly RampName[];
export type Color = readonly [red: number, green: number, blue: number];

/** Of `#rrggbb`; anything else is gray. */
export function parsed(hex: string): Color {
  const found = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(hex);
  return found
    ? [parseInt(found[1] as string, 16), parseInt(found[2] as string, 16), parseInt(found[3] as string, 16)]
    : [128, 128, 128];
}

function mixed(a: Color, b: Color, share: number): Color {
  return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share];
}

export function rampColor(name: RampName, share: number): Color {
  const stops = RAMPS[name];
  const place = Math.max(0, Math.min(1, share)) * (stops.length - 1);
  const index = Math.min(Math.floor(place), stops.length - 2);
  return mixed(parsed(stops[index] as string), parsed(stops[index + 1] as string), place - index);
}

/** Of a run next to others: its own colour, dark where the loss is small and pale where it is large. */
export function tintColor(color: Color, share: number): Color {
  return share < 0.5
    ? mixed([20, 24, 32], color, 0.35 + 1.3 * share)
    : mixed(color, [255, 255, 255], (share - 0.5) * 1.3);
}

export function css(color: Color): string {
  return `#${color
    .map((part) =>
      Math.max(0, Math.min(255, Math.round(part)))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}
