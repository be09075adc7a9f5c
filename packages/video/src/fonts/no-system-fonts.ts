// Imported before the canvas, which reads this when it loads. A video must not look different on a machine with other fonts.
process.env.DISABLE_SYSTEM_FONTS_LOAD = "1";
