import type { JSX } from 'preact';

const PATHS = {
  full: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  back: 'M6 3.5 2.5 7 6 10.5M3 7h6.5a3.5 3.5 0 0 1 0 7H7',
  reset: 'M2.5 8a5.5 5.5 0 1 0 1.8-4.1M2.5 2v3.2h3.2',
  export: 'M8 2v8M5 7l3 3.2L11 7M2.5 11v2.5h11V11',
  pin: 'M5.5 2h5l-.6 4.2L12 8.5H4l2.1-2.3zM8 8.5V14',
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
  compare: 'M2.5 3h4.5v10H2.5zM9 3h4.5v10H9z',
  contrast: 'M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM8 2v12M8 5h4.8M8 8h6M8 11h4.8',
} as const;

export type IconName = keyof typeof PATHS;

export interface IconProps {
  readonly name: IconName;
}

export function Icon({ name }: IconProps): JSX.Element {
  return <Glyph path={PATHS[name]} />;
}

/** A custom icon of a plugin, on the same 16 by 16 grid. */
export function Glyph({ path }: { readonly path: string }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
