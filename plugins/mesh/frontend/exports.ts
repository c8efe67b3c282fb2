import { canvasFile, fileName, message, type CardKey, type MenuItem } from '@insight-host/kit';
import { type Records } from '@insight-host/kit/steps';
import type { MeshParts } from './board';
import type { Look } from './look';
import { paintPicture } from './picture';
import { shapeQuery } from './shape';

/** Size of a saved picture in CSS pixels, and pixels of the file for each. */
const [WIDTH, HEIGHT, RATIO] = [800, 600, 2];

/** Saves the files of the menu of a card. */
export function exportsOf(
  board: MeshParts,
  card: CardKey,
  look: Look | null,
  records: Records | null,
  index: number,
  sample: number,
): readonly MenuItem[] {
  const { page } = board;
  if (!look || !records || index < 0) return [];
  const { step } = look.scene.shape;
  const save = async (): Promise<void> => {
    const renderer = board.renderer();
    if (!renderer) return page.ctx.notify('error', page.t('webgl'));
    const canvas = document.createElement('canvas');
    const size = { width: WIDTH, height: HEIGHT, ratio: RATIO, columns: WIDTH * RATIO, rows: HEIGHT * RATIO };
    paintPicture(canvas, renderer, look, size, { background: look.scene.paper });
    page.ctx.ui.download(
      fileName(`${page.titleOf(card.tag)}_${step}`, 'png', card.run ?? ''),
      await canvasFile(canvas),
    );
  };
  return [
    {
      action: 'export-png',
      text: page.t('export.png'),
      onPress: () => void save().catch((error: unknown) => page.ctx.notify('error', message(error))),
    },
    {
      action: 'export-ply',
      text: page.t('export.ply'),
      href: page.ctx.data.href('ply', shapeQuery(card, records, index, sample)),
    },
  ];
}
