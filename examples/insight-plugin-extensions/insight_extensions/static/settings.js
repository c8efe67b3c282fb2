/** The settings of each run that has a file of them: `[{ run, settings: [{ name, value }], checkpoint }]`. */
export async function settingsOf(ctx, signal) {
  const tags = await ctx.data.json('tags', {}, { signal });
  const files = Object.entries(tags).flatMap(([run, own]) => Object.keys(own).map((tag) => ({ run, tag })));
  return Promise.all(
    files.map(async ({ run, tag }) => {
      const { value: settings } = await ctx.data.json('value', { run, tag, index: 0 }, { signal });
      const checkpoint = Number(settings.find(({ name }) => name === 'checkpoint')?.value ?? NaN); // a step
      return { run, settings, checkpoint };
    }),
  );
}

export function element(name, text = '', style = {}) {
  const node = document.createElement(name);
  Object.assign(node.style, style);
  node.textContent = text; // never innerHTML: a log is not trusted to be harmless
  return node;
}
