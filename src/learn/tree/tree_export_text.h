/* src/learn/tree/tree_export_text.h - the parts of what tree_export() writes that are the same for all trees. */
#ifndef LEARN_TREE_TREE_EXPORT_TEXT_H
#define LEARN_TREE_TREE_EXPORT_TEXT_H

extern const char tree_export_types[];       /* before tables and trees */
extern const char tree_export_rule[];        /* behind them */
extern const char tree_export_doca[];        /* entry points */

#endif
