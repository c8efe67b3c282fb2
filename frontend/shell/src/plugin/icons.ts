/** Line icons on a 16 px grid, drawn with the colour of the text around them. */

const PATHS: Readonly<Record<string, string>> = {
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6 14 14',
  filter: 'M2 3h12l-4.5 5.5V13l-3-1.5v-3z',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  minus: 'M3.5 8h9',
  plus: 'M8 3v10M3 8h10',
  warn: 'M8 2.2 14.5 13.5h-13zM8 6.5v3.5M8 11.8v.2',
  error: 'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM8 4.5v4.2M8 11.2v.2',
  info: 'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM8 7.3v4.2M8 4.7v.2',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  moon: 'M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z',
  invert: 'M2.5 2.5h11v11h-11zM2.5 13.5l11-11M13.5 7v6.5H7M13.5 10.5l-3 3',
  sort: 'M5 3v10M2.5 10.5 5 13l2.5-2.5M9 4h5M9 8h3.5M9 12h2',
  system: 'M2 3h12v8H2zM6 14h4M8 11v3',
  sidebar: 'M2 3h12v10H2zM6 3v10',
  keyboard: 'M1.5 4h13v8h-13zM4 6.7h.1M6.7 6.7h.1M9.3 6.7h.1M12 6.7h.1M5 9.5h6',
  'chevron-down': 'M4 6l4 4 4-4',
  'chevron-right': 'M6 4l4 4-4 4',
  'chevron-left': 'M10 4l-4 4 4 4',
  'chevron-up': 'M4 10l4-4 4 4',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  download: 'M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11',
  undo: 'M6 3 3 6l3 3M3 6h6.5a3.5 3.5 0 0 1 0 7H6',
  redo: 'M10 3l3 3-3 3M13 6H6.5a3.5 3.5 0 0 0 0 7H10',
  reset: 'M3 8a5 5 0 1 1 1.5 3.5M3 12.5V9h3.5',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.5M13 1.5V5H9.5',
  fullscreen: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  'exit-fullscreen': 'M6 2.5V6H2.5M13.5 6H10V2.5M10 13.5V10h3.5M2.5 10H6v3.5',
  zoom: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6 14 14M7 5v4M5 7h4',
  box: 'M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3M5.5 5.5h5v5h-5z',
  pan: 'M8 2v12M2 8h12M6.3 3.7 8 2l1.7 1.7M6.3 12.3 8 14l1.7-1.7M3.7 6.3 2 8l1.7 1.7M12.3 6.3 14 8l-1.7 1.7',
  pin: 'M6 2h4l-.5 5 2 2.5h-7L6.5 7zM8 9.5V14',
  link: 'M6.5 9.5l3-3M7 4.5l1.5-1.5a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5 7.5 13A3 3 0 0 1 3 8.5L4.5 7',
  threshold: 'M2 13.5h12M2 6h2M6 6h2M10 6h2M3 11l3-7 3.5 5L13 3',
  trash: 'M3 4.5h10M6 4.5V2.5h4v2M4.5 4.5l.5 9h6l.5-9M7 7v4M9 7v4',
  settings: 'M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6M10 2.7v3.6M6 9.7v3.6',
  chart: 'M2 2v12h12M4.5 10.5l3-4 2.5 2 3.5-5',
  columns: 'M2 3h12v10H2zM6 3v10M10 3v10',
  table: 'M2 3h12v10H2zM2 6.5h12M2 9.8h12M6.5 3v10',
  group: 'M2 5.5h3M2 10.5h3M5 3v10M5 8h3M8 8c2 0 2-4 6-4M8 8c2 0 2 4 6 4',
  log: 'M2 3h12M2 8.5h12M2 11.5h12M2 13.3h12',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  copy: 'M5.5 5.5h8v8h-8zM3 10.5H2.5v-8h8V3',
  image: 'M2 3h12v10H2zM2 11l3.5-3.5L8 10l2-2 4 4M10.5 6h.1',
  play: 'M5 3l8 5-8 5z',
  pencil: 'M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3zM9 4.7 11.3 7',
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
  globe: 'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM1.5 8h13M8 1.5c4 4 4 9 0 13M8 1.5c-4 4-4 9 0 13',
};

export const ICON_NAMES = Object.keys(PATHS);
const SVG = 'http://www.w3.org/2000/svg';

/** An unknown name gives a plain dot, so that a plugin for a newer page still shows a button. */
export function iconPath(name: string): string {
  return PATHS[name] ?? 'M8 8h.1';
}

/** Signs that users give to runs have a colour of their own. */
export function iconClass(name: string): string {
  return name.startsWith('mark-') ? `ih-icon ih-mark ih-${name}` : 'ih-icon';
}

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', iconClass(name));
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', iconPath(name));
  svg.append(path);
  return svg;
}
