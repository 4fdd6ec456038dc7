# SPDX-License-Identifier: BSD-3-Clause
"""A reader of VTK's XML files with appended raw arrays, by the format's description.

    vtk_files.py same FILE.vti|.vtu|.vthb...    where Python has VTK: its own reader finds the same
read_image(path) -> extent, origin, spacing, arrays; read_points(path) -> points, arrays;
read_amr(path) -> [(level, box, spacing, path of the image)]; read_collection(path) -> [(time, path)]"""
import os
import re
import struct
import sys
import xml.etree.ElementTree as ElementTree

KINDS = {"Float32": "f", "Float64": "d", "Int32": "i", "Int64": "q", "UInt8": "B"}


def read_xml(path):
    """The root element, and a function that gives the values of a DataArray."""
    data = open(path, "rb").read()
    begin = re.search(rb'<AppendedData encoding="raw">\s*_', data)
    raw = b""
    if begin:
        end = data.rindex(b"</AppendedData>")
        raw, data = data[begin.end():end], data[:begin.end()] + data[end:]
    root = ElementTree.fromstring(data)
    assert root.tag == "VTKFile" and root.get("byte_order") == "LittleEndian", path
    assert root.get("header_type") == "UInt64", path

    def values(array):
        at = int(array.get("offset"))
        kind = KINDS[array.get("type")]
        size, = struct.unpack_from("<Q", raw, at)
        assert array.get("format") == "appended" and size % struct.calcsize(kind) == 0, path
        return list(struct.unpack_from("<%d%s" % (size // struct.calcsize(kind), kind), raw, at + 8))

    return root, values


def cell_data(piece, values):
    return {a.get("Name"): values(a) for a in piece.find("CellData")}


def read_image(path):
    root, values = read_xml(path)
    image = root.find("ImageData")
    piece = image.find("Piece")
    assert root.get("type") == "ImageData" and image.get("WholeExtent") == piece.get("Extent"), path
    extent = [int(x) for x in image.get("WholeExtent").split()]
    arrays = cell_data(piece, values)
    cells = 1
    for a, b in zip(extent[::2], extent[1::2]):
        cells *= max(b - a, 1)
    assert all(len(v) == cells for v in arrays.values()), path
    return (extent, [float(x) for x in image.get("Origin").split()],
            [float(x) for x in image.get("Spacing").split()], arrays)


def read_points(path):
    root, values = read_xml(path)
    piece = root.find("UnstructuredGrid").find("Piece")
    count = int(piece.get("NumberOfPoints"))
    flat = values(piece.find("Points").find("DataArray"))
    cells = {a.get("Name"): values(a) for a in piece.find("Cells")}
    assert cells == {"connectivity": list(range(count)), "offsets": list(range(1, count + 1)), "types": [1] * count}
    return [flat[3 * i:3 * i + 3] for i in range(count)], cell_data(piece, values)


def read_amr(path):
    root, _ = read_xml(path)
    amr = root.find("vtkOverlappingAMR")
    boxes = []
    for block in amr.findall("Block"):
        for i, data in enumerate(block.findall("DataSet")):
            assert int(data.get("index")) == i
            boxes.append((int(block.get("level")), [int(x) for x in data.get("amr_box").split()],
                          [float(x) for x in block.get("spacing").split()],
                          os.path.join(os.path.dirname(path), data.get("file"))))
    return amr.get("grid_description"), [float(x) for x in amr.get("origin").split()], boxes


def read_collection(path):
    root, _ = read_xml(path)
    return [(float(d.get("timestep")), os.path.join(os.path.dirname(path), d.get("file")))
            for d in root.find("Collection").findall("DataSet")]


def same_levels(vtkIOXML, path):
    reader = vtkIOXML.vtkXMLUniformGridAMRReader()
    reader.SetFileName(path)
    reader.SetMaximumLevelsToReadByDefault(0)  # all
    reader.Update()
    output, boxes = reader.GetOutput(), read_amr(path)[2]
    assert type(output).__name__ == "vtkOverlappingAMR" and output.GetRefinementRatio(0) == 2, path
    assert output.GetNumberOfLevels() == max(box[0] for box in boxes) + 1, path
    for level in range(output.GetNumberOfLevels()):
        mine = [box for box in boxes if box[0] == level]
        assert output.GetNumberOfDataSets(level) == len(mine), path
        for i, (_, _, spacing, image) in enumerate(mine):
            grid = output.GetDataSet(level, i)
            extent, origin, _, arrays = read_image(image)
            bounds = [o + s * e for o, s, pair in zip(origin, spacing, zip(extent[::2], extent[1::2])) for e in pair]
            assert all(abs(a - b) < 1e-9 for a, b in zip(grid.GetBounds(), bounds)), (path, grid.GetBounds(), bounds)
            for name in ("work", "vtkGhostType"):
                array = grid.GetCellData().GetArray(name)
                assert [array.GetValue(c) for c in range(array.GetNumberOfTuples())] == arrays[name], (image, name)


def same_by_vtk(paths):
    try:
        from vtkmodules import vtkIOXML
    except ImportError:
        print("no VTK here")
        return
    for path in paths:
        if path.endswith(".vthb"):
            same_levels(vtkIOXML, path)
            continue
        image = path.endswith(".vti")
        reader = vtkIOXML.vtkXMLImageDataReader() if image else vtkIOXML.vtkXMLUnstructuredGridReader()
        reader.SetFileName(path)
        reader.Update()
        output = reader.GetOutput()
        arrays = (read_image(path)[3] if image else read_points(path)[1])
        data = output.GetCellData()
        assert data.GetNumberOfArrays() == len(arrays), path
        for name, values in arrays.items():
            found = [data.GetArray(name).GetValue(i) for i in range(data.GetArray(name).GetNumberOfTuples())]
            assert repr(found) == repr(values), (path, name)
        if image:
            assert list(output.GetExtent()) == read_image(path)[0], path
        else:
            assert [list(output.GetPoint(i)) for i in range(output.GetNumberOfPoints())] == read_points(path)[0]
    print("VTK reads the same")


if __name__ == "__main__":
    same_by_vtk(sys.argv[2:])
