import type { JSX } from 'preact';

/** The icons of the page and all tabs: lines on a 16 px grid. */
const PATHS = {
  full: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  back: 'M6 3.5 2.5 7 6 10.5M3 7h6.5a3.5 3.5 0 0 1 0 7H7',
  reset: 'M2.5 8a5.5 5.5 0 1 0 1.8-4.1M2.5 2v3.2h3.2',
  export: 'M8 2v8M5 7l3 3.2L11 7M2.5 11v2.5h11V11',
  pin: 'M5.5 2h5l-.6 4.2L12 8.5H4l2.1-2.3zM8 8.5V14',
  bookmark: 'M4.5 2.5h7V14L8 11l-3.5 3z',
  tree: 'M3 2.5v10.5h4M3 7.5h4M9 2.5h4.5M9 7.5h4.5M9 13h4.5M3 2.5h4',
  box: 'M2.5 2.5h8v8h-8zM13.5 13.5l-3-3',
  pan: 'M8 2v12M2 8h12M6.3 3.7 8 2l1.7 1.7M6.3 12.3 8 14l1.7-1.7M3.7 6.3 2 8l1.7 1.7M12.3 6.3 14 8l-1.7 1.7',
  open: 'M4 6l4 4 4-4',
  closed: 'M6 4l4 4-4 4',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  warn: 'M8 2.2 14.2 13.5H1.8zM8 6.2v3.4M8 11.3v.6',
  info: 'M8 14.2a6.2 6.2 0 1 0 0-12.4 6.2 6.2 0 0 0 0 12.4zM8 7.3v4M8 4.7v.2',
  copy: 'M5.5 5.5V2.5h8v8h-3M2.5 5.5h8v8h-8z',
  play: 'M5 3l8 5-8 5z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  previous: 'M10 3.5 5.5 8l4.5 4.5',
  next: 'M6 3.5 10.5 8 6 12.5',
  link: 'M6.5 9.5l3-3M7 4.5l1.5-1.5a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5 7.5 13A3 3 0 0 1 3 8.5L4.5 7',
  actual: 'M2.6 5.4 4.4 4v8M8 6.3v.1M8 9.7v.1M11.2 5.4 13 4v8',
  pencil: 'M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3zM9 4.7 11.3 7',
  columns: 'M2 3h12v10H2zM6 3v10M10 3v10',
  table: 'M2 3h12v10H2zM2 6.3h12M2 9.7h12M6.5 6.3V13',
  compare: 'M2.5 3h4.5v10H2.5zM9 3h4.5v10H9z',
  contrast: 'M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM8 2v12M8 5h4.8M8 8h6M8 11h4.8',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6 14 14',
  filter: 'M2 3h12l-4.5 5.5V13l-3-1.5v-3z',
  error: 'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM8 4.5v4.2M8 11.2v.2',
  sidebar: 'M2 3h12v10H2zM6 3v10',
  more: 'M3.2 7.7h.6v.6h-.6zM7.7 7.7h.6v.6h-.6zM12.2 7.7h.6v.6h-.6z',
  fit: 'M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3M5.5 6.5h5v3h-5z',
  fold: 'M2.5 3h11v10h-11zM5.5 8h5',
  panel: 'M2 3h12v10H2zM10 3v10',
  camera: 'M2.5 8a5.5 5.5 0 1 0 1.8-4.1M2.5 2v3.2h3.2M8 5.5v5M5.5 8h5',
  'mark-1': 'M4 14V2.5h8.5L10 5.5l2.5 3H4',
  'mark-2': 'M8 1.8l1.9 4 4.3.6-3.1 3.1.7 4.4L8 11.8l-3.8 2.1.7-4.4L1.8 6.4l4.3-.6z',
  'mark-3': 'M8 13.5S2 10 2 6a3 3 0 0 1 6-1 3 3 0 0 1 6 1c0 4-6 7.5-6 7.5z',
  'mark-4': 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z',
  'mark-5': 'M2.5 2.5h11v11h-11z',
  'mark-6': 'M8 2.2 14.3 13.5H1.7z',
  'mark-7': 'M8 1.5 14 8l-6 6.5L2 8z',
  'mark-8': 'M9.5 1.5 3.5 9H8l-1.5 5.5 6-7.5H8z',
  'mark-9': 'M2.5 3.5h11v7H8L5 13.5v-3H2.5z',
  'mark-10': 'M8 1.8 13.4 5v6L8 14.2 2.6 11V5z',
} as const;

export type IconName = keyof typeof PATHS | `mark-${number}`;

export interface IconProps {
  readonly name: IconName;
}

const HUES = [25, 85, 350, 145, 250, 60, 300, 105, 200, 325]; // degrees in OKLCH, of marks from the first

/** Drawn with the colour of the text around it; marks of runs have a colour of their own. */
export function Icon({ name }: IconProps): JSX.Element {
  const mark = /^mark-(\d+)$/.exec(name);
  return (
    <svg
      class={mark ? 'ih-icon ih-mark' : 'ih-icon'}
      {...(mark ? { style: { '--mark-hue': HUES[Number(mark[1]) - 1] ?? 0 } } : {})}
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      <path d={pathOf(name)} />
    </svg>
  );
}

/** An unknown name gives a plain dot, so that a plugin for a newer page still shows a button. */
function pathOf(name: string): string {
  return name in PATHS ? PATHS[name as keyof typeof PATHS] : 'M8 8h.1';
}
