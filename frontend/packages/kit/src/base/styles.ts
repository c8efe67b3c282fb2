import type { Disposer, PluginContext } from '@insight-host/api';

const sheets = new Map<string, { readonly sheet: CSSStyleSheet; readonly users: Set<Disposer> }>(); // by CSS text

/**
 * Adds CSS that applies within the plugin's own elements only, until the function that it returns is called. The
 * element around them is `:scope`: a rule for one theme is `:root[data-theme='dark'] :scope .name { … }`.
 */
export function addStyles({ name }: Pick<PluginContext, 'name'>, css: string): Disposer {
  // not into what another plugin shows within
  return adopt(`@scope ([data-plugin="${name}"]) to ([data-plugin]) {${css}\n}`);
}

/** Adds CSS before all other: rules of a tab win against rules of the same weight. */
export function addStylesFirst(css: string): Disposer {
  return adopt(css, true);
}

/** The page has one sheet of each text, however many cards and tables need it. */
function adopt(css: string, isFirst = false): Disposer {
  const before = sheets.get(css);
  const own = before ?? { sheet: new CSSStyleSheet(), users: new Set() };
  const end = (): void => {
    if (!own.users.delete(end) || own.users.size > 0) return;
    sheets.delete(css);
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== own.sheet);
  };
  own.users.add(end);
  if (before) return end;
  sheets.set(css, own);
  own.sheet.replaceSync(css);
  document.adoptedStyleSheets[isFirst ? 'unshift' : 'push'](own.sheet);
  return end;
}
