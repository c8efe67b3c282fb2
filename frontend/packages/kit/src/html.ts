/** Markup as template literals, for tabs in plain JavaScript: ``html`<p class=${name}>…</p>` ``. */
import htm from 'htm';
import { h, type VNode } from 'preact';

export const html: (strings: TemplateStringsArray, ...values: unknown[]) => VNode | VNode[] = htm.bind(h) as never;
