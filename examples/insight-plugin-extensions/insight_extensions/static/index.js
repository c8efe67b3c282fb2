// The tab: the settings of the selected runs. Plain JavaScript, no build step.
import { element, settingsOf } from './settings.js';

export default {
  apiVersion: 2,
  mount(host, ctx) {
    const draw = async () => {
      const all = await settingsOf(ctx, ctx.signal);
      const selected = new Set(ctx.runs.selected.value.map((run) => run.name));
      host.replaceChildren(
        ...all
          .filter(({ run }) => selected.has(run))
          .map(({ run, settings }) =>
            element('p', `${run}: ${settings.map(({ name, value }) => `${name} = ${value}`).join(', ')}`),
          ),
      );
    };
    const failed = (cause) => ctx.signal.aborted || ctx.notify('error', String(cause.message ?? cause));
    const sources = [ctx.runs.selected, ctx.changes];
    const stops = sources.map((source) => source.subscribe(() => draw().catch(failed)));
    return () => stops.forEach((stop) => stop());
  },
};
