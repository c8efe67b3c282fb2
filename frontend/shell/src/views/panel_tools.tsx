/** Three buttons of the run panel, each with its choice: what groups, colours and sorts the runs. */
import { loadPanel } from '../panel/start';
import { type PanelMenu, usePage } from '../state/page';

const ACTIONS = { group: 'group-by', color: 'colors', sort: 'sort-runs' } as const;

export function PanelTools() {
  const page = usePage();
  const t = page.t.value;
  const { runs, panel, colorBy, menu } = page;
  const { value: by } = runs.groupBy;
  const titleOf = (key: string): string =>
    panel.value?.titleOf(key) ?? key.slice(key.startsWith('name~') ? 5 : key.lastIndexOf('/') + 1);
  const titles = (keys: readonly string[]): string => keys.map(titleOf).join(', ');
  const [sort = 'time'] = runs.sort.value.filter((key) => key !== 'selected');
  const isColumn = /^[+-]/.test(sort);
  const texts: Readonly<Record<PanelMenu['kind'], string>> = {
    group: titles(by) || t('runs.none.short'),
    color: titles(colorBy.value) || t(by.length > 0 ? 'runs.color.group' : 'runs.color.run'),
    sort: isColumn ? titleOf(sort.slice(1)) : t(sort === 'name' ? 'runs.sort.name' : 'runs.sort.time'),
  };
  return (
    <div class="ih-panel-tools">
      {(page.aboutOne.value ? (['sort'] as const) : (['group', 'color', 'sort'] as const)).map((kind) => (
        <button
          key={kind}
          type="button"
          class="ih-panel-tool"
          aria-haspopup="dialog"
          aria-expanded={menu.value?.kind === kind}
          title={`${t(`runs.${kind}`)}: ${texts[kind]}`}
          data-action={ACTIONS[kind]}
          onClick={({ currentTarget: anchor }) => {
            void loadPanel(page);
            menu.value = menu.peek()?.kind === kind ? null : { kind, anchor };
          }}
        >
          <span>{t(`runs.${kind}.short`)} </span>
          <span>{texts[kind]}</span>
          {isColumn && kind === 'sort' && <i aria-hidden="true">{sort.startsWith('-') ? '↓' : '↑'}</i>}
        </button>
      ))}
    </div>
  );
}
