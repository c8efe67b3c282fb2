import type { Disposer, PluginContext } from '@insight-host/api';

/**
 * Adds CSS that applies within the plugin's own elements only, until the function that it returns is called. The
 * element around them is `:scope`: a rule for one theme is `:root[data-theme='dark'] :scope .name { … }`.
 */
export function addStyles({ name }: Pick<PluginContext, 'name'>, css: string): Disposer {
  const sheet = new CSSStyleSheet();
  // not into what another plugin shows within
  sheet.replaceSync(`@scope ([data-plugin="${name}"]) to ([data-plugin]) {${css}\n}`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}
