/** Line icons on a 16 px grid, drawn with the colour of the text around them. */

const PATHS: Readonly<Record<string, string>> = {
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.600 10.600 14 14',
  filter: 'M2 3h12l-4.500 5.500V13l-3-1.500v-3z',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.500l3.500 3.500L13 4.500',
  minus: 'M3.500 8h9',
  plus: 'M8 3v10M3 8h10',
  warn: 'M8 2.200 14.500 13.500h-13zM8 6.500v3.500M8 11.800v.200',
  error: 'M8 14.500a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM8 4.500v4.200M8 11.200v.200',
  info: 'M8 14.500a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM8 7.300v4.200M8 4.700v.200',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  moon: 'M13.500 9.500A6 6 0 0 1 6.500 2.500a6 6 0 1 0 7 7z',
  system: 'M2 3h12v8H2zM6 14h4M8 11v3',
  sidebar: 'M2 3h12v10H2zM6 3v10',
  keyboard: 'M1.500 4h13v8h-13zM4 6.700h.100M6.700 6.700h.100M9.300 6.700h.100M12 6.700h.100M5 9.500h6',
  'chevron-down': 'M4 6l4 4 4-4',
  'chevron-right': 'M6 4l4 4-4 4',
  'chevron-left': 'M10 4l-4 4 4 4',
  'chevron-up': 'M4 10l4-4 4 4',
  more: 'M3.500 8h.100M8 8h.100M12.500 8h.100',
  download: 'M8 2v8M4.500 7 8 10.500 11.500 7M2.500 13.500h11',
  undo: 'M6 3 3 6l3 3M3 6h6.500a3.500 3.500 0 0 1 0 7H6',
  redo: 'M10 3l3 3-3 3M13 6H6.500a3.500 3.500 0 0 0 0 7H10',
  reset: 'M3 8a5 5 0 1 1 1.500 3.500M3 12.500V9h3.500',
  refresh: 'M13 8a5 5 0 1 1-1.500-3.500M13 1.500V5H9.500',
  fullscreen: 'M2.500 6V2.500H6M10 2.500h3.500V6M13.500 10v3.500H10M6 13.500H2.500V10',
  'exit-fullscreen': 'M6 2.500V6H2.500M13.500 6H10V2.500M10 13.500V10h3.500M2.500 10H6v3.500',
  zoom: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.600 10.600 14 14M7 5v4M5 7h4',
  box: 'M2.500 5.500v-3h3M10.500 2.500h3v3M13.500 10.500v3h-3M5.500 13.500h-3v-3M5.500 5.500h5v5h-5z',
  pan: 'M8 2v12M2 8h12M6.300 3.700 8 2l1.700 1.700M6.300 12.300 8 14l1.700-1.700M3.700 6.300 2 8l1.700 1.700M12.300 6.300 14 8l-1.700 1.700',
  pin: 'M6 2h4l-.500 5 2 2.500h-7L6.500 7zM8 9.500V14',
  link: 'M6.500 9.500l3-3M7 4.500l1.500-1.500a3 3 0 0 1 4.500 4.500L11.500 9M9 11.500 7.500 13A3 3 0 0 1 3 8.500L4.500 7',
  threshold: 'M2 13.500h12M2 6h2M6 6h2M10 6h2M3 11l3-7 3.500 5L13 3',
  trash: 'M3 4.500h10M6 4.500V2.500h4v2M4.500 4.500l.500 9h6l.500-9M7 7v4M9 7v4',
  settings: 'M2 4.500h6M12 4.500h2M2 11.500h2M8 11.500h6M10 2.700v3.600M6 9.700v3.600',
  chart: 'M2 2v12h12M4.500 10.500l3-4 2.500 2 3.500-5',
  columns: 'M2 3h12v10H2zM6 3v10M10 3v10',
  table: 'M2 3h12v10H2zM2 6.500h12M2 9.800h12M6.500 3v10',
  group: 'M2 5.500h3M2 10.500h3M5 3v10M5 8h3M8 8c2 0 2-4 6-4M8 8c2 0 2 4 6 4',
  log: 'M2 3h12M2 8.500h12M2 11.500h12M2 13.300h12',
  eye: 'M1.500 8S4 3.500 8 3.500 14.500 8 14.500 8 12 12.500 8 12.500 1.500 8 1.500 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  copy: 'M5.500 5.500h8v8h-8zM3 10.500H2.500v-8h8V3',
  image: 'M2 3h12v10H2zM2 11l3.500-3.500L8 10l2-2 4 4M10.500 6h.100',
  play: 'M5 3l8 5-8 5z',
  globe: 'M8 14.500a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM1.500 8h13M8 1.500c4 4 4 9 0 13M8 1.500c-4 4-4 9 0 13',
};

export const ICON_NAMES = Object.keys(PATHS);
const SVG = 'http://www.w3.org/2000/svg';

/** An unknown name gives a plain dot, so that a plugin for a newer page still shows a button. */
export function iconPath(name: string): string {
  return PATHS[name] ?? 'M8 8h.100';
}

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', 'ih-icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', iconPath(name));
  svg.append(path);
  return svg;
}
