export type Size = {readonly columns: number; readonly rows: number};

/** Narrower than this, one pane is seen at a time. */
const twoPanes = 64;
/** The same where the right one is a panel, which needs more room. */
const planAndPanel = 80;

/** How the screen is divided. */
export type Layout = {
  readonly width: number;
  /** All rows that may be drawn on. */
  readonly height: number;
  readonly hasTwoPanes: boolean;
  readonly treeWidth: number;
  readonly detailWidth: number;
  /** Rows inside the frame of a pane. */
  readonly paneRows: number;
};

export function layoutOf({columns, rows}: Size, hasPanel = false, isZoomed = false): Layout {
  const width = Math.max(20, columns);
  const height = Math.max(6, rows);
  const hasTwoPanes = !isZoomed && width >= (hasPanel ? planAndPanel : twoPanes);
  const share = hasPanel ? 0.3 : 0.42;
  const [narrowest, widest] = hasPanel ? [24, 56] : [30, 72];
  const treeWidth = hasTwoPanes ? Math.min(widest, Math.max(narrowest, Math.floor(width * share))) : width;
  return {
    width,
    height,
    hasTwoPanes,
    treeWidth,
    detailWidth: hasTwoPanes ? width - treeWidth : width,
    // Header, banner, keys, and the frame itself.
    paneRows: Math.max(1, height - 5),
  };
}

/** Inside the frame of the pane on the right. */
export const detailColumns = ({layout}: {readonly layout: Layout}): number =>
  Math.max(8, layout.detailWidth - 4);

/** Of the help: the frame it does not have is its room, but for the line that tells where one is. */
export const helpRows = ({paneRows}: Layout): number => paneRows + 1;
