/** The dialogs of the page; loaded when it is idle, or when the first one opens. */
import { useEffect } from 'preact/hooks';
import { Dialog } from '@insight-host/kit';
import { lateTexts, reasonsIn } from '../i18n/texts';
import { loadColumns } from '../loading';
import { keyLabel, type Shortcut } from '../plugin/shortcuts';
import type { Dialog as OpenedDialog } from '../state/overlays';
import { usePage } from '../state/page';
import { DamageList } from './damage_list';
import over from './over.css?inline';
import styles from './dialogs.css?inline';
import { DocsDialog } from './docs';
import { Palette } from './palette';
import { PageMenu, PagesMenu } from './menus';
import { RunMenu } from './run_menu';
import { ShareDialog } from './share_dialog';
import { addStyles } from './parts';
import { TagTree } from './tag_tree';
import { keyboard as en } from '../locales/en.json';
import { keyboard as zh } from '../locales/zh-CN.json';

const words = lateTexts({ en, 'zh-CN': zh });

/** What the keys of the page do. */
const KEYS: Readonly<Record<string, Parameters<typeof words>[1]>> = {
  'Mod+k': 'keyboard.palette',
  '/': 'keyboard.filter',
  '[': 'keyboard.previous',
  ']': 'keyboard.next',
  '\\': 'keyboard.sidebar',
  'Shift+S': 'keyboard.share',
  '|': 'keyboard.table',
  '?': 'keyboard.help',
};

void reasonsIn('zh-CN'); // the user may change the language while some are shown

addStyles(over + styles);

interface OpenDialogProps {
  readonly dialog: OpenedDialog;
  /** What the user typed before the dialog was there. */
  readonly typed: string;
}

export { comparingOf } from './comparing';
export { NameField } from './run_menu';

export function OpenDialog({ dialog, typed }: OpenDialogProps) {
  if (dialog.kind === 'palette') return <Palette typed={typed} />;
  if (dialog.kind === 'damage') return <DamageList run={dialog.run} />;
  if (dialog.kind === 'run') return <RunMenu run={dialog.run} anchor={dialog.anchor} />;
  if (dialog.kind === 'page') return <PageMenu anchor={dialog.anchor} />;
  if (dialog.kind === 'pages') return <PagesMenu tab={dialog.tab} anchor={dialog.anchor} />;
  if (dialog.kind === 'columns') return <Columns />;
  if (dialog.kind === 'tags') return <TagTree plugin={dialog.plugin} />;
  if (dialog.kind === 'share') return <ShareDialog />;
  if (dialog.kind === 'docs') return <DocsDialog path={dialog.path} />;
  return <KeyboardHelp />;
}

/** The columns of the run table, as soon as its code is here. */
function Columns() {
  const page = usePage();
  const { value: view } = page.columns;
  useEffect(() => loadColumns(page), []);
  return view && <view.Chooser />;
}

/** The list of shortcuts: the page's, and those of the plugin in front. */
function KeyboardHelp() {
  const page = usePage();
  const t = page.t.value;
  const front = page.front.value;
  const all = page.shortcuts.list.value;
  const own = all.filter((shortcut) => front && shortcut.owner === front.name);
  return (
    <Dialog
      name="keyboard"
      title={words(page, 'keyboard.title')}
      close={t('close')}
      onClose={() => (page.dialog.value = null)}
    >
      <div class="ih-keyboard-columns">
        <Group title={words(page, 'keyboard.page')} shortcuts={all.filter((shortcut) => shortcut.owner === '')} />
        {front && own.length > 0 && <Group title={page.tabTitle(front)} shortcuts={own} />}
      </div>
    </Dialog>
  );
}

function Group({ title, shortcuts }: { title: string; shortcuts: readonly Shortcut[] }) {
  const page = usePage();
  return (
    <section>
      <h3>{title}</h3>
      <dl class="ih-keys">
        {shortcuts.map((shortcut) => (
          <div key={shortcut.key}>
            <dt>
              <kbd>{keyLabel(shortcut.key)}</kbd>
            </dt>
            <dd>{shortcut.description || words(page, KEYS[shortcut.key] ?? 'keyboard.help')}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
