/** The dialogs of the page; loaded when it is idle, or when the first one opens. */
import { useEffect } from 'preact/hooks';
import { loadColumns } from '../columns/start';
import { ViewsDialog } from '../saved_views/views_dialog';
import { reasonsIn } from '../i18n/reasons';
import { type Dialog, usePage } from '../state/page';
import { DamageList } from './damage_list';
import styles from './dialogs.css?inline';
import { KeyboardHelp } from './keyboard_help';
import { Palette } from './palette';
import { RunMenu } from './run_menu';
import { TagTree } from './tag_tree';
import { addStyles } from './styles';

void reasonsIn('zh-CN'); // the user may change the language while some are shown

addStyles(styles);

interface OpenDialogProps {
  readonly dialog: Dialog;
  /** What the user typed before the dialog was there. */
  readonly typed: string;
}

export { NameField } from './name_field';

export function OpenDialog({ dialog, typed }: OpenDialogProps) {
  if (dialog.kind === 'palette') return <Palette typed={typed} />;
  if (dialog.kind === 'damage') return <DamageList run={dialog.run} />;
  if (dialog.kind === 'run') return <RunMenu run={dialog.run} anchor={dialog.anchor} />;
  if (dialog.kind === 'columns') return <Columns />;
  if (dialog.kind === 'tags') return <TagTree plugin={dialog.plugin} />;
  if (dialog.kind === 'views') return <ViewsDialog />;
  return <KeyboardHelp />;
}

/** The columns of the run table, as soon as its code is here. */
function Columns() {
  const page = usePage();
  const { value: view } = page.columns;
  useEffect(() => loadColumns(page), []);
  return view && <view.Chooser />;
}
