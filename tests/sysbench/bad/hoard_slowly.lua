local hoard = {}

function event(id)
  if id == 1 then
    for i = 1, 200000 do
      hoard[#hoard + 1] = {i, tostring(i) .. "-", {}}
    end
  end
end
