import { Icon, type IconName } from '@insight-host/kit';
import { h, render } from 'preact';

/** An icon of the kit as an element, for plugins without Preact. */
export function icon(name: string): SVGSVGElement {
  const place = document.createElement('span');
  render(h(Icon, { name: name as IconName }), place);
  return place.firstElementChild as SVGSVGElement;
}
